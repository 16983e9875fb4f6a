"""Pages of results, forwards or backwards, with a cursor for each result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from pksk.dataclass import dataclass
from pksk.errors import DesignError, InvalidValue, quote
from pksk.store.argument_checks import check_request_kind
from pksk.store.reads.cursor import (
    EDGE,
    RowPosition,
    decode_cursor,
    encode_cursor,
    resume_after,
    reverse_paginators,
)
from pksk.store.reads.paginator import paginators_of
from pksk.store.reads.results import Results
from pksk.store.reads.rows import Row, Rows
from pksk.store.reads.unreadable_items import UnreadableItems, check_unreadable_list
from pksk.store.sending.steps import Steps

if TYPE_CHECKING:
    from pksk.store.core import Core

M_co = TypeVar("M_co", covariant=True)


@dataclass(frozen=True)
class Page(Generic[M_co]):
    """Some results of a query, with cursors to those before and behind; a sequence of them.

    `next` is None where it is known that nothing follows, and `previous` where nothing comes before. `cursor(n)` is
    the one of the result at a place: `after=` it begins with the one behind.

    Example:
        >>> from pksk import Entity, Key, Table, connect
        >>> class Line(Entity, table=Table("orders")):
        ...     order: str
        ...     n: int
        ...     primary = Key("ORDER#{order}", "LINE#{n:03d}")
        >>> with connect("memory:") as db:
        ...     db.create_tables(Line.__pksk__.table)
        ...     stored = db.batch_put(*(Line(order="7", n=n) for n in range(5)))
        ...     first = db.page(Line.primary(order="7").limit(2))
        ...     second = db.page(Line.primary(order="7").limit(2), after=first.next)
        ...     back = db.page(Line.primary(order="7").limit(2), before=second.previous)
        >>> [line.n for line in first], [line.n for line in second], [line.n for line in back]
        ([0, 1], [2, 3], [0, 1])
    """

    items: tuple[M_co, ...]
    next: str | None = None
    previous: str | None = None
    _cursors: Callable[[int], str] = field(repr=False, compare=False, default=str)

    def cursor(self, place: int) -> str:
        """The cursor of the result at this place; a negative one counts from the end."""
        if isinstance(place, bool) or not isinstance(place, int):
            raise InvalidValue(
                "store-page-place",
                f"cursor({quote(place)}): it takes the position of a result on the page, an integer.",
                fix="write cursor(0) for the first result, or cursor(-1) for the last.",
            )
        return self._cursors(range(len(self.items))[place])

    def __iter__(self) -> Iterator[M_co]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, place: int) -> M_co: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[M_co]: ...
    def __getitem__(self, place: int | slice) -> Any:
        return self.items[place]


def page(
    core: Core,
    read: Any,
    *,
    after: str | None = None,
    before: str | None = None,
    unreadable: UnreadableItems = None,
) -> Steps[Page[Any]]:
    """The results behind one cursor or before another, as many as the query is limited to."""
    check_request_kind("page", read, "Query", "Scan")
    check_unreadable_list("page", unreadable)
    if after is not None and before is not None:
        raise DesignError(
            "store-page-both", "page: after= and before= at once.", fix="give one of the two cursors."
        )
    if core.meters:
        core.meters.used(read)
    groups, backwards = paginators_of(read.plan, keyed=True), before is not None
    given = after if before is None else before
    place = EDGE if given is None else decode_cursor(core.secret, read, given)
    if backwards:
        groups = reverse_paginators(read, groups)
    if place != EDGE:
        groups = resume_after(groups, place)
    rows = Rows(core, groups, read, ordered=read.kind != "scan")
    found, reached = yield from _collect_results(core, read, rows, unreadable)
    if backwards:
        found.reverse()
    return _page(core, read, found, reached, begun=place != EDGE, backwards=backwards)


def _collect_results(
    core: Core, read: Any, rows: Rows, unreadable: UnreadableItems
) -> Steps[tuple[list[tuple[Row, Any]], RowPosition | None]]:
    """Results up to the limit, or those of one request without one; and the place to go on from, if more may follow."""
    results, most = Results(core, read, unreadable), getattr(read, "max_results", None)
    found: list[tuple[Row, Any]] = []
    while True:
        batch = yield from rows.batch(until_found=most is not None)
        if batch is None:
            return found, None
        more, follows = yield from results.with_rows(batch, None if most is None else most - len(found))
        found += more
        if most is None:
            return found, None if rows.is_finished else _position(batch[-1]) if batch else _scan_position(
                rows
            )
        if len(found) >= most:
            return found, _position(found[-1][0]) if follows or not rows.is_finished else None


def _page(
    core: Core,
    read: Any,
    found: list[tuple[Row, Any]],
    reached: RowPosition | None,
    *,
    begun: bool,
    backwards: bool,
) -> Page[Any]:
    def sealed(place: RowPosition | None) -> str | None:
        return None if place is None else encode_cursor(core.secret, read, place)

    def cursor(number: int) -> str:
        return encode_cursor(core.secret, read, _position(found[number][0]))

    # The way back from a page without results begins where it ends.
    nearest = _position(found[-1 if backwards else 0][0]) if found else reached or EDGE
    back = nearest if begun and read.kind != "scan" else None
    onwards, backwards_to = (back, reached) if backwards else (reached, back)
    return Page(tuple(result for _, result in found), sealed(onwards), sealed(backwards_to), cursor)


def _position(row: Row) -> RowPosition:
    paginator, item = row
    return RowPosition(paginator.number, {name: item[name] for name in paginator.index.keys})


def _scan_position(rows: Rows) -> RowPosition:
    paginator, key = rows.scan_position
    return RowPosition(paginator.number, key)
