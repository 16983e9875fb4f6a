"""The type of a field that is a cell: of one level, or of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pksk.cells.geohash import GEOHASH, LEVELS
from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, TemplateError, quote

_SAMPLE = "gcpjfy6dh2km"


@dataclass(frozen=True)
class CellLevel:
    """A text that is the name of a cell: `Annotated[str, CellLevel(8)]`, or of levels 3 to 8 with `CellLevel(3, 8)`.

    Other texts are rejected, and so are capitals. A key template knows the length of its parts, and the class of an
    entity is rejected if sort keys of one partition could have cells of several lengths.

    Example:
        >>> from typing import Annotated
        >>> from pksk import KeyPair, Template
        >>> fields = {"cell": Annotated[str, CellLevel(3, 8)]}
        >>> cells = KeyPair(Template("ShCe#{cell[:-3]}", fields), Template("{cell[-3:]}", fields, role="sort"))
        >>> [cells.render({"cell": each}) for each in ("gcp", "gcpj", "gcpjfy6d")]
        [('ShCe#', 'gcp'), ('ShCe#g', 'cpj'), ('ShCe#gcpjf', 'y6d')]
        >>> cells.match("ShCe#gcpjf", "y6d")
        {'cell': 'gcpjfy6d'}
    """

    level: int
    last: int | None = None

    def __post_init__(self) -> None:
        levels = self.cell_levels
        if not (levels and levels[0] in LEVELS and levels[-1] in LEVELS):
            raise TemplateError(
                "template-cell-level",
                f"{self!r} has no cells.",
                expected="Levels are 1 to 12: the number of characters in the name of a cell.",
                fix="name one level, as in CellLevel(8), or the first and the last, as in CellLevel(3, 8).",
            )

    def __repr__(self) -> str:
        return f"CellLevel({self.level}{'' if self.last is None else f', {self.last}'})"

    @property
    def cell_levels(self) -> range:
        """The levels that the field may have, as keys find them among the metadata of a type."""
        return range(self.level, (self.level if self.last is None else self.last) + 1)

    @property
    def min_length(self) -> int:
        """The length of the shortest name."""
        return self.cell_levels[0]

    @property
    def max_length(self) -> int:
        """The length of the longest name."""
        return self.cell_levels[-1]

    @property
    def sample(self) -> str:
        """A cell of the last level."""
        return _SAMPLE[: self.max_length]

    def check(self, value: str) -> str:
        """The value; raises if it is not a cell of these levels.

        Example:
            >>> CellLevel(8).check("gcpjfy6d")
            'gcpjfy6d'
        """
        GEOHASH.number(value)
        if len(value) not in self.cell_levels:
            levels = f"level {self.level}" if self.last is None else f"levels {self.level} to {self.last}"
            raise InvalidValue(
                "cell-level",
                f"Cell {quote(value)} has level {len(value)}, and this field has cells of {levels}.",
                fix="pass a cell of such a level.",
            )
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Mapping[str, Any]:
        return checked_schema(self.check, handler(source))


def checked_schema(check: Callable[[Any], Any], schema: Any) -> Mapping[str, Any]:
    """Pydantic's schema of a field whose values must pass a check."""

    def validate(value: Any) -> Any:
        try:
            return check(value)
        except InvalidValue as error:  # Pydantic adds the field, and a line of its own for each error
            fix = error.fix or error.expected
            raise ValueError(
                f"{error.problem} {fix[0].upper()}{fix[1:]} (pksk explain {error.code})"
            ) from None

    return {"type": "function-after", "function": {"type": "no-info", "function": validate}, "schema": schema}
