"""The type of a field that is a cell: of one level, or of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pksk.cells.geohash import GEOHASH, LEVELS, encode
from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, TemplateError, quote

_SAMPLE = "gcpjfy6dh2km"
_COORDINATES = 2


@dataclass(frozen=True)
class CellLevel:
    """A text that is the name of a cell: `Annotated[str, CellLevel(8)]`, or of levels 3 to 8 with `CellLevel(3, 8)`.

    Other texts are rejected, and so are capitals. A key template knows the length of its parts, and the class of an
    entity is rejected if sort keys of one partition could have cells of several lengths.

    `of` names the fields with the latitude and the longitude of the item, declared before this one: the cell must
    contain this position, and queries by region use it to filter exactly and to measure distances.

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
    of: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        self._check_position_fields()
        ends = self.level, self.level if self.last is None else self.last
        if not all(type(each) is int and each in LEVELS for each in ends) or ends[0] > ends[1]:
            raise TemplateError(
                "template-cell-level",
                f"{self!r} has no cells.",
                expected="Levels are 1 to 12: the number of characters in the name of a cell.",
                fix="name one level, as in CellLevel(8), or the first and the last, as in CellLevel(3, 8).",
            )

    def __repr__(self) -> str:
        position = "" if self.of is None else f", of={self.of!r}"
        return f"CellLevel({self.level}{'' if self.last is None else f', {self.last}'}{position})"

    def _check_position_fields(self) -> None:
        of: object = self.of
        if of is None or (
            isinstance(of, tuple) and len(of) == _COORDINATES and all(isinstance(each, str) for each in of)
        ):
            return
        raise TemplateError(
            "template-cell-level",
            f"CellLevel({self.level}, of={quote(of)}): these are not the names of two fields.",
            expected="Queries by region read the position of an item from its latitude and its longitude.",
            fix='write of=("lat", "lng").',
        )

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

    def check_position(self, cell: str, position: Mapping[str, Any]) -> None:
        """Raise an error if a cell does not contain the position in these fields; None if it is not known.

        Example:
            >>> CellLevel(4, of=("lat", "lng")).check_position("gcpj", {"lat": 51.6705, "lng": -1.2818})
        """
        lat, lng = (position.get(name) for name in self.of or ("", ""))
        if lat is None or lng is None:
            return
        right = encode(float(lat), float(lng), len(cell))
        if right != cell:
            raise InvalidValue(
                "cell-position-outside",
                f"Cell {quote(cell)} does not contain the position {lat}, {lng}.",
                fix=f"write {quote(right)}, or make the cell a computed field: encode(lat, lng, {len(cell)}).",
            )

    def _validate_position(self, value: Any, info: Any) -> Any:
        try:
            self.check_position(value, info.data or {})
        except InvalidValue as error:
            raise _pydantic_error(error) from None
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Mapping[str, Any]:
        checked = checked_schema(self.check, handler(source))
        if self.of is None:
            return checked
        function = {"type": "with-info", "function": self._validate_position}
        return {"type": "function-after", "function": function, "schema": checked}


def checked_schema(check: Callable[[Any], Any], schema: Any) -> Mapping[str, Any]:
    """Pydantic's schema of a field whose values must pass a check."""

    def validate(value: Any) -> Any:
        try:
            return check(value)
        except InvalidValue as error:
            raise _pydantic_error(error) from None

    return {"type": "function-after", "function": {"type": "no-info", "function": validate}, "schema": schema}


def _pydantic_error(error: InvalidValue) -> ValueError:
    """Pydantic adds the field, and a line of its own for each error."""
    fix = error.fix or error.expected
    return ValueError(f"{error.problem} {fix[0].upper()}{fix[1:]} (pksk explain {error.code})")
