"""The markers that an author puts beside the type of a field."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from pksk.dataclass import dataclass

if TYPE_CHECKING:
    from pksk.model.entity import Entity

__all__ = ["TTL", "Attribute", "Created", "Marker", "Null", "Reference", "Unique", "Updated", "Version"]


@dataclass(frozen=True)
class Attribute:
    """The name under which a field is stored.

    Example:
        >>> from typing import Annotated
        >>> Annotated[str, Attribute("globalId")].__metadata__
        (Attribute(name='globalId'),)
    """

    name: str


@dataclass(frozen=True)
class _NamedMarker:
    """A marker that says nothing but its name; one dataclass for all of them, as making each takes time."""


class Unique(_NamedMarker):
    """No two items of the entity hold the same value; None is not counted: `email: Annotated[str, Unique()]`.

    Example:
        >>> from typing import Annotated
        >>> Annotated[str, Unique()].__metadata__
        (Unique(),)
    """


class Version(_NamedMarker):
    """Counts the writes of an item, so that nobody overwrites what they have not read.

    It is an int with a default: `version: Annotated[int, Version()] = 0`.

    Example:
        >>> from typing import Annotated
        >>> Annotated[int, Version()].__metadata__
        (Version(),)
    """


class TTL(_NamedMarker):
    """When DynamoDB may delete the item: an aware datetime, stored as whole seconds, or an int of them.

    The table names the same attribute: `Table(..., ttl="expires")` and `expires: Annotated[datetime, TTL()]`.
    Seconds are rounded up, so that nothing expires early, and read back as a datetime in UTC.

    Example:
        >>> from datetime import datetime
        >>> from typing import Annotated
        >>> Annotated[datetime | None, TTL()].__metadata__
        (TTL(),)
    """


class Null(_NamedMarker):
    """None is stored as NULL, which is there and can be asked for, and not as nothing: `Annotated[str | None, Null()]`.

    Example:
        >>> from typing import Annotated
        >>> Annotated[str | None, Null()].__metadata__
        (Null(),)
    """


class Created(_NamedMarker):
    """When the item was first written: `created: Annotated[datetime | None, Created()] = None`.

    Example:
        >>> from datetime import datetime
        >>> from typing import Annotated
        >>> Annotated[datetime | None, Created()].__metadata__
        (Created(),)
    """


class Updated(_NamedMarker):
    """When the item was last written: `updated: Annotated[datetime | None, Updated()] = None`.

    Example:
        >>> from datetime import datetime
        >>> from typing import Annotated
        >>> Annotated[datetime | None, Updated()].__metadata__
        (Updated(),)
    """


ReferencedEntity: TypeAlias = "type[Entity] | str | Callable[[], type[Entity]]"


@dataclass(frozen=True, init=False)
class Reference:
    """The field names an item of another entity, by the parts of its primary key.

    One marked field is enough where the other key has one part, or where its other parts are fields of the same name
    here. Else each part says which field holds it: `Reference(Line, order="order_id")`. An entity that is declared
    later is given by its name, if it stands in the same table, or by a function that returns it.

    Example:
        >>> Reference("Customer", tenant="shop")
        Reference('Customer', tenant='shop')
    """

    entity: ReferencedEntity
    parts: tuple[tuple[str, str], ...]

    def __init__(self, entity: ReferencedEntity, /, **parts: str) -> None:
        object.__setattr__(self, "entity", entity)
        object.__setattr__(self, "parts", tuple(parts.items()))

    def __repr__(self) -> str:
        name = self.entity.__name__ if isinstance(self.entity, type) else repr(self.entity)
        return f"Reference({', '.join([name, *(f'{part}={field!r}' for part, field in self.parts)])})"


Marker: TypeAlias = Attribute | Null | Unique | Version | TTL | Created | Updated | Reference

MARKERS: tuple[Any, ...] = (Attribute, Null, Unique, Version, TTL, Created, Updated, Reference)
