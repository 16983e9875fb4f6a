"""The markers for how a field is stored: under another name, and with None as NULL."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pksk.dataclass import dataclass
from pksk.model.markers.marker import Marker, field_text, reject_marker

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.storing.attributes import Field


@dataclass(frozen=True)
class Attribute(Marker):
    """The name under which a field is stored.

    Example:
        >>> from typing import Annotated
        >>> Annotated[str, Attribute("globalId")].__metadata__
        (Attribute(name='globalId'),)
    """

    acts_on_writes: ClassVar[bool] = False

    name: str


class Null(Marker):
    """Stores None as NULL, which conditions can test, instead of no attribute: `Annotated[str | None, Null()]`.

    Example:
        >>> from typing import Annotated
        >>> Annotated[str | None, Null()].__metadata__
        (Null(),)
    """

    acts_on_writes: ClassVar[bool] = False

    def check_field(self, where: str, field: Field) -> None:
        """Reject a field that cannot be None."""
        if not field.nullable:
            reject_marker(
                where, "marker-type", f"Null needs a field that can be None, but the field is {field_text(field)}.",
                f"declare {field.name}: Annotated[... | None, Null()] = None.",
            )  # fmt: skip

    def check_entity(self, name: str, declaration: Declaration) -> None:
        """Reject NULL in a key of an index, which is text, a number or bytes."""
        attribute = declaration.fields[name].attribute
        if attribute in declaration.table.attribute_types:
            reject_marker(
                f"{declaration.name}.{name}", "marker-clash",
                f"Null would store NULL in {attribute!r}, a key of an index.",
                "leave Null out: without a value the item is not in the index.",
            )  # fmt: skip
