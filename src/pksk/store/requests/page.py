"""Pages of results, forwards or backwards, with a cursor for each result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Generic, TypeVar, overload

from pydantic import BaseModel

from pksk.dataclass import dataclass
from pksk.errors import DesignError, InvalidValue, quote
from pksk.sending import Core, Steps
from pksk.store.arguments import UnreadableItems, check_request_kind, check_unreadable_list
from pksk.store.reads.cursor import (
    EDGE,
    RowPosition,
    decode_cursor,
    encode_cursor,
    resume_after,
    reverse_paginators,
)
from pksk.store.reads.results import Results
from pksk.store.reads.rows import Read, Row, Rows, paginators_of

M_co = TypeVar("M_co", covariant=True)


@dataclass(frozen=True)
class Page(Generic[M_co]):
    """Some results of a query, as a sequence, with cursors to the pages before and after.

    `next` is None if the store knows that nothing follows, and `previous` if nothing comes before. `cursor(n)` is the
    cursor of the result at a position: the page `after=` it begins with the following result.

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

    def cursor(self, position: int) -> str:
        """The cursor of the result at this position; a negative one counts from the end."""
        if isinstance(position, bool) or not isinstance(position, int):
            raise InvalidValue(
                "store-page-position",
                f"cursor({quote(position)}): it takes the position of a result on the page, an integer.",
                fix="write cursor(0) for the first result, or cursor(-1) for the last.",
            )
        return self._cursors(range(len(self.items))[position])

    def __iter__(self) -> Iterator[M_co]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, position: int) -> M_co: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[M_co]: ...
    def __getitem__(self, position: int | slice) -> M_co | Sequence[M_co]:
        return self.items[position]


def page(
    core: Core,
    read: Read,
    *,
    after: str | None = None,
    before: str | None = None,
    unreadable: UnreadableItems = None,
) -> Steps[Page[BaseModel]]:
    """The results after or before a cursor, up to the limit of the query."""
    check_request_kind("page", read, "Query", "Scan")
    check_unreadable_list("page", unreadable)
    if after is not None and before is not None:
        raise DesignError(
            "store-page-two-cursors",
            "page: after= and before= are both set.",
            fix="pass one of the two cursors.",
        )
    if core.meters:
        core.meters.used(read)
    groups, backwards = paginators_of(read.plan, keyed=True), before is not None
    cursor = after if before is None else before
    start = EDGE if cursor is None else decode_cursor(core.secret, read, cursor)
    if backwards:
        groups = reverse_paginators(read, groups)
    if start != EDGE:
        groups = resume_after(groups, start)
    rows = Rows(core, groups, read, ordered=read.kind != "scan")
    results, reached = yield from _collect_results(core, read, rows, unreadable)
    if backwards:
        results.reverse()
    return _page(core, read, results, reached, is_resumed=start != EDGE, backwards=backwards)


def _collect_results(
    core: Core, read: Read, rows: Rows, unreadable: UnreadableItems
) -> Steps[tuple[list[tuple[Row, BaseModel]], RowPosition | None]]:
    """Results up to the limit, or of one request without one; and where to continue, if more may follow."""
    results, most = Results(core, read, unreadable), getattr(read, "max_results", None)
    pairs: list[tuple[Row, BaseModel]] = []
    while True:
        batch = yield from rows.batch(until_found=most is not None)
        if batch is None:
            return pairs, None
        more, follows = yield from results.with_rows(batch, None if most is None else most - len(pairs))
        pairs += more
        if most is None:
            return pairs, None if rows.is_finished else _position(batch[-1]) if batch else _scan_position(
                rows
            )
        if len(pairs) >= most:
            return pairs, _position(pairs[-1][0]) if follows or not rows.is_finished else None


def _page(
    core: Core,
    read: Read,
    results: list[tuple[Row, BaseModel]],
    reached: RowPosition | None,
    *,
    is_resumed: bool,
    backwards: bool,
) -> Page[BaseModel]:
    def encoded(position: RowPosition | None) -> str | None:
        return None if position is None else encode_cursor(core.secret, read, position)

    def cursor(number: int) -> str:
        return encode_cursor(core.secret, read, _position(results[number][0]))

    # From an empty page, the previous page is read backwards from where this one ends.
    first_row = _position(results[-1 if backwards else 0][0]) if results else reached or EDGE
    back = first_row if is_resumed and read.kind != "scan" else None
    onwards, backwards_to = (back, reached) if backwards else (reached, back)
    return Page(tuple(result for _, result in results), encoded(onwards), encoded(backwards_to), cursor)


def _position(row: Row) -> RowPosition:
    paginator, item = row
    return RowPosition(paginator.number, {name: item[name] for name in paginator.index.keys})


def _scan_position(rows: Rows) -> RowPosition:
    paginator, key = rows.scan_position
    return RowPosition(paginator.number, key)
