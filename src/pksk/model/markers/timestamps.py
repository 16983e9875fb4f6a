"""Created and Updated: the times of the first and of the last write of an item."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from pksk.model.markers.marker import HoldsInstants, Marker, StoredForm, field_text, is_instant, reject_marker
from pksk.model.markers.stored import INSTANTS

if TYPE_CHECKING:
    from pksk.model.requests.update import Update
    from pksk.model.storing.attributes import Field


class _Timestamp(HoldsInstants, Marker):
    """A time that the store sets."""

    at_most_one: ClassVar[bool] = True
    is_store_managed: ClassVar[bool] = True

    @property
    def holds_instants(self) -> bool:
        """The time of a write is an instant."""
        return True

    def check_field(self, where: str, field: Field) -> None:
        """Reject a field that is not a datetime with a zone."""
        if not is_instant(field):
            name = type(self).__name__
            reject_marker(
                where, "marker-type", f"{name} is a time, but the field is {field_text(field)}.",
                f"declare {field.name}: Annotated[datetime | None, {name}()] = None.",
            )  # fmt: skip

    def stored_form(self, field: Field) -> StoredForm | None:
        """Text in UTC, whatever zone the time has."""
        return INSTANTS

    def request_difference(self, name: str, label: str, kind: str) -> str:
        """Each request has its own time."""
        return f"{label} is the time of the request" if kind in ("put", "update") else ""


class Created(_Timestamp):
    """The time of the first write: `created: Annotated[datetime | None, Created()] = None`.

    Example:
        >>> from datetime import datetime
        >>> from typing import Annotated
        >>> Annotated[datetime | None, Created()].__metadata__
        (Created(),)
    """

    def stamp(
        self, name: str, value: Any, now: datetime, validated: Callable[[str, Any], Any]
    ) -> Mapping[str, Any]:
        """The time of this write, if the entity has none."""
        return {} if value is not None else {name: validated(name, now)}

    def stamp_update(self, name: str, update: Update, now: datetime) -> Update:
        """An upsert that sets the time if the item has none."""
        if not update.is_upsert:
            return update
        from pksk.expressions import F  # not at start-up: it takes as long as all markers together

        return update.apply(F[name].set(F[name].if_not_exists(now)))


class Updated(_Timestamp):
    """The time of the last write: `updated: Annotated[datetime | None, Updated()] = None`.

    Example:
        >>> from datetime import datetime
        >>> from typing import Annotated
        >>> Annotated[datetime | None, Updated()].__metadata__
        (Updated(),)
    """

    changes_always: ClassVar[bool] = True
    tells_writes_apart: ClassVar[bool] = True

    def stamp(
        self, name: str, value: Any, now: datetime, validated: Callable[[str, Any], Any]
    ) -> Mapping[str, Any]:
        """The time of this write, as the validators of the field make it."""
        return {name: validated(name, now)}

    def stamp_update(self, name: str, update: Update, now: datetime) -> Update:
        """An update that sets the time."""
        return update.set(**{name: now})
