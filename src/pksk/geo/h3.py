"""H3 cells as ids for counts and heat maps: hexagons of 16 resolutions; it needs the extra `h3`."""

# Annotations are evaluated here, also those of the example's class, which names that are not in this module.
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from pksk.cells.cell_level import checked_schema
from pksk.cells.coordinates import check_position
from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, NotConfigured, TemplateError, quote

try:
    import h3
except ImportError as error:
    raise NotConfigured(
        "h3-extra",
        f"{error.name or 'h3'} cannot be imported ({error}); pksk uses it for H3 cells.",
        fix='pip install "pksk[h3]".',
    ) from error

__all__ = ["H3Resolution", "boundary", "centre", "children", "encode", "parent"]

RESOLUTIONS = range(16)
_LENGTH = 15


def encode(lat: float, lng: float, resolution: int) -> str:
    """The cell of a resolution that contains a position.

    Example:
        >>> encode(51.6705, -1.2818, 9)
        '89195d70663ffff'
    """
    check_position(lat, lng)
    _check_resolution(resolution)
    return str(h3.latlng_to_cell(lat, lng, resolution))


def centre(cell: str) -> tuple[float, float]:
    """The latitude and longitude of the centre of a cell.

    Example:
        >>> [round(degrees, 3) for degrees in centre("89195d70663ffff")]
        [51.67, -1.28]
    """
    lat, lng = h3.cell_to_latlng(_checked(cell))
    return lat, lng


def boundary(cell: str) -> tuple[tuple[float, float], ...]:
    """The corners of a cell as (latitude, longitude), counterclockwise: six of a hexagon, five of the 12 pentagons.

    A cell whose sides cross an edge of the icosahedron has more.

    Example:
        >>> len(boundary("89195d70663ffff")), len(boundary("8009fffffffffff"))
        (6, 5)
    """
    return tuple((lat, lng) for lat, lng in h3.cell_to_boundary(_checked(cell)))


def parent(cell: str, resolution: int | None = None) -> str:
    """The cell of the next lower resolution that a cell belongs to, or of the one given.

    Example:
        >>> parent("89195d70663ffff"), parent("89195d70663ffff", 6)
        ('88195d7067fffff', '86195d707ffffff')
    """
    own = int(h3.get_resolution(_checked(cell)))
    wanted = own - 1 if resolution is None else resolution
    _check_resolution(wanted)
    if wanted > own:
        raise InvalidValue(
            "h3-resolution",
            f"Cell {quote(cell)} of resolution {own} has no parent of resolution {wanted}.",
            fix=f"pass a resolution from 0 to {own}, or use children.",
        )
    return str(h3.cell_to_parent(cell, wanted))


def children(cell: str) -> tuple[str, ...]:
    """The cells of the next resolution that belong to a cell: seven, or six of a pentagon. Their ids are a range.

    Example:
        >>> children("88195d7067fffff")[:2], len(children("88195d7067fffff"))
        (('89195d70663ffff', '89195d70667ffff'), 7)
    """
    _check_resolution(int(h3.get_resolution(_checked(cell))) + 1)
    return tuple(sorted(h3.cell_to_children(cell)))


@dataclass(frozen=True)
class H3Resolution:
    """A text that is an H3 cell: `Annotated[str, H3Resolution(9)]`, or of resolutions 6 to 9 with `H3Resolution(6, 9)`.

    Other texts are rejected, and so are capitals. All ids have 15 characters. `CellCounts` counts in such cells as in
    geohashes. A view is not a range of H3 ids, so covers and view queries take geohashes only.

    Example:
        >>> from typing import Annotated
        >>> from pksk import Entity, Key, Table, Version
        >>> from pksk.geo import CellCounts
        >>> class Hexagon(Entity, table=Table("hexagons")):
        ...     cell: Annotated[str, H3Resolution(6, 9)]
        ...     reports: int = 0
        ...     version: Annotated[int, Version()] = 0
        ...     primary = Key("H3#{cell[:-7]}", "{cell[-7:]}")
        >>> Hexagon.primary.get(cell="89195d70663ffff").request["Key"]
        {'pk': {'S': 'H3#89195d70'}, 'sk': {'S': '663ffff'}}
        >>> CellCounts(Hexagon, add="reports")
        CellCounts(Hexagon)
    """

    first: int
    last: int | None = None
    min_length = max_length = _LENGTH

    def __post_init__(self) -> None:
        ends = self.first, self.first if self.last is None else self.last
        if not all(type(each) is int and each in RESOLUTIONS for each in ends) or ends[0] > ends[1]:
            raise TemplateError(
                "h3-resolution",
                f"{self!r} has no cells.",
                expected="Resolutions are 0 to 15.",
                fix="name one resolution, as in H3Resolution(9), or the first and the last, as in H3Resolution(6, 9).",
            )

    def __repr__(self) -> str:
        return f"H3Resolution({self.first}{'' if self.last is None else f', {self.last}'})"

    @property
    def levels(self) -> range:
        """The resolutions that the field may have."""
        return range(self.first, (self.first if self.last is None else self.last) + 1)

    @cached_property
    def sample(self) -> str:
        """A cell of the last resolution."""
        return encode(51.6705, -1.2818, self.levels[-1])

    def level(self, cell: str) -> int:
        """The resolution of a cell."""
        return int(h3.get_resolution(cell))

    def parent(self, cell: str) -> str:
        """The cell of the next lower resolution that a cell belongs to."""
        return parent(cell)

    def children(self, cell: str) -> tuple[str, ...]:
        """The cells of the next resolution that belong to a cell."""
        return children(cell)

    def check(self, value: str) -> str:
        """The value; raises if it is not a cell of these resolutions.

        Example:
            >>> H3Resolution(9).check("89195d70663ffff")
            '89195d70663ffff'
        """
        resolution = int(h3.get_resolution(_checked(value)))
        if resolution not in self.levels:
            some = (
                f"resolution {self.first}"
                if self.last is None
                else f"resolutions {self.first} to {self.last}"
            )
            raise InvalidValue(
                "h3-resolution",
                f"Cell {quote(value)} has resolution {resolution}, and this field has cells of {some}.",
                fix="pass a cell of such a resolution.",
            )
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Mapping[str, Any]:
        return checked_schema(self.check, handler(source))


def _checked(cell: str) -> str:
    if isinstance(cell, str) and len(cell) == _LENGTH and cell == cell.lower() and h3.is_valid_cell(cell):
        return cell
    lower = str(cell).lower()
    if lower != cell and h3.is_valid_cell(lower):
        problem, fix = (
            "ids are lower case, because capitals sort elsewhere in a key",
            f"write {quote(lower)}.",
        )
    else:
        problem, fix = (
            "one has 15 hexadecimal digits that fit together",
            "pass an id as encode(lat, lng, resolution) returns it.",
        )
    raise InvalidValue("h3-cell", f"{quote(cell)} is not an H3 cell: {problem}.", fix=fix)


def _check_resolution(resolution: int) -> None:
    if isinstance(resolution, bool) or resolution not in RESOLUTIONS:
        raise InvalidValue(
            "h3-resolution",
            f"There are no cells of resolution {quote(resolution)}.",
            expected="Resolutions are 0 to 15.",
            fix="use a resolution from 0 to 15.",
        )
