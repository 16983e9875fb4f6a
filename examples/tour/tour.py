"""A tour through a system: every question is asked, its answer held to what it must be, and its cost to its price."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, Protocol, TypeVar

from pksk import Meter, Store, Table, connect
from pksk.capacity import Cost
from pksk.cli.commands import Refusal

from .audit import Audit
from .load import load
from .step import Step

__all__ = ["Listener", "Tour", "in_any_order"]

T = TypeVar("T")


class Listener(Protocol):
    """Whom a tour tells what it sees."""

    def section(self, title: str) -> None: ...
    def step(self, step: Step) -> None: ...
    def note(self, text: str) -> None: ...
    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> None: ...
    def progress(self, what: str, done: int, total: int) -> None: ...
    def filled(self, what: str, done: int) -> None: ...


class Tour:
    """A store under audit, and what was seen on it.

    A system's tour fills it with data, then asks: `tour.ask(request, expected)` for each of its access patterns,
    `tour.do(title, operation, expected)` for what an application does in several requests. What is expected is
    reckoned from the data in plain Python, never read from the store.
    """

    def __init__(self, db: Store, tables: Iterable[Table], audit: Audit, listener: Listener) -> None:
        self.db = db
        self.steps: list[Step] = []
        self._titles = {each.name: each.description for table in tables for each in table.patterns}
        self._audit = audit
        self._listener = listener

    @classmethod
    @contextmanager
    def open(cls, target: Any, tables: Iterable[Table], listener: Listener) -> Iterator[Tour]:
        """A tour on whatever `connect` takes, with the tables of a design, which are made or must be empty."""
        declared = list(tables)
        audit = Audit(*declared)
        with connect(target, hooks=[audit]) as db:
            audit.client = db.client
            db.ensure_tables(*declared)
            _check_empty(db, declared)
            yield cls(db, declared, audit, listener)

    def fill(self, entities: Iterable[Any], total: int, what: str = "items") -> int:
        """Store generated data, with its progress; doing it again changes nothing."""
        done = load(self.db, entities, lambda done: self._listener.progress(what, done, total))
        self._listener.filled(what, done)
        return done

    def ask(self, request: Any, expected: Any, *, title: str = "") -> Any:
        """Run a read or write; `expected` is the answer, or a function that says whether an answer is right.

        Several reads of one pattern are asked together. The title is what the access pattern says of itself.
        """
        several = isinstance(request, list | tuple)
        requests = list(request) if several else [request]
        named = title or self._title(requests[0])

        def run(db: Store) -> Any:
            answers = [db.run(each) for each in requests]
            return list(chain.from_iterable(answers)) if several else answers[0]

        return self.do(named, run, expected)

    def do(self, title: str, operation: Callable[[Store], T], expected: Any) -> T:
        """Run an operation of the application, of one request or many."""
        self._audit.clear()
        self._audit.on = True
        try:
            with self.db.meter(everywhere=True) as meter:
                answer = operation(self.db)
        finally:
            self._audit.on = False
        step = Step(
            title=title,
            patterns=tuple(sorted(self._audit.patterns)),
            sent=tuple(self._audit.sent),
            answer=_told(answer),
            estimated=_estimated(meter),
            priced=self._audit.cost,
            consumed=meter.consumed,
            wrong=_difference(answer, expected),
        )
        self.steps.append(step)
        self._listener.step(step)
        return answer

    def _title(self, request: Any) -> str:
        name: str = getattr(getattr(request, "pattern", None), "name", type(request).__name__)
        return str(self._titles.get(name, name))

    def section(self, title: str) -> None:
        """Begin a part of the tour."""
        self._listener.section(title)

    def note(self, text: str) -> None:
        """Say something."""
        self._listener.note(text)

    def table(
        self, headers: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[int] = ()
    ) -> None:
        """Show figures."""
        self._listener.table(headers, [[str(cell) for cell in row] for row in rows], right)


def in_any_order(expected: Iterable[Any]) -> Callable[[Iterable[Any]], bool]:
    """Whether an answer has just these, in whatever order: what scans and batches promise."""
    wanted = sorted(map(repr, expected))
    return lambda answer: sorted(map(repr, answer)) == wanted


def _check_empty(db: Store, tables: Iterable[Table]) -> None:
    for table in tables:
        if db.client.call("Scan", {"TableName": table.name, "Limit": 1})["Items"]:
            raise Refusal(
                f"The table {table.name!r} has items, and a tour checks answers that these would change.\n"
                "Fix: run it in memory:, in a new file, or after db.drop_tables(...) of these tables."
            )


def _estimated(meter: Meter) -> Cost | None:
    total = Cost()
    for row in meter.rows:
        if row.estimate is None:
            return None
        total += row.estimate
    return total


def _difference(answer: Any, expected: Any) -> str:
    if callable(expected):
        return "" if expected(answer) else f"the answer is not right: {_told(answer)}"
    return "" if answer == expected else f"expected {_told(expected)}, got {_told(answer)}"


def _told(answer: Any) -> str:
    """An answer in a few words."""
    if answer is None:
        return "nothing"
    if isinstance(answer, list | tuple | set | range):
        return "1 item" if len(answer) == 1 else f"{len(answer):,} items"
    return "1 item" if hasattr(type(answer), "__pksk__") else str(answer)
