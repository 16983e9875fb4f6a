"""A tour through a system: every question is asked, its answer held to what it must be, and its cost to its price."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, Protocol, TypeVar

from pksk import AccessDenied, Meter, NotConfigured, ServiceUnreachable, Store, Table, connect
from pksk.capacity import Cost
from pksk.cli.commands import Refusal
from pksk.cli.output import as_json

from .audit import Audit
from .load import load
from .loading import has_items
from .step import Step

__all__ = ["Ended", "Listener", "NotEmpty", "Tour", "in_any_order"]

T = TypeVar("T")

# What is wrong with the place and not with the application.
_OF_THE_PLACE = (ServiceUnreachable, NotConfigured, AccessDenied)


class Listener(Protocol):
    """Whom a tour tells what it sees."""

    def section(self, title: str) -> None: ...
    def step(self, step: Step) -> None: ...
    def note(self, text: str) -> None: ...
    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> None: ...
    def progress(self, what: str, done: int, total: int) -> None: ...
    def filled(self, what: str, done: int) -> None: ...


class Ended(Exception):
    """A tour that ended before its end, since an operation of it had failed; `steps` are those that were taken."""

    def __init__(self, steps: list[Step]) -> None:
        super().__init__(f"the tour ended after {len(steps)} steps")
        self.steps = steps


class NotEmpty(Refusal):
    """A place that has items, which would change the answers of a tour."""

    def __init__(self, table: str) -> None:
        self.problem = f"The table {table!r} has items, and a tour checks answers that these would change."
        self.fix = "run it in memory:, in a new file, or after db.drop_tables(...) of these tables."
        super().__init__(f"{self.problem}\nFix: {self.fix}")

    @property
    def document(self) -> str:
        """The same for programs, as every other refusal is told them."""
        parts = {"code": None, "problem": self.problem, "expected": "", "fix": self.fix}
        return as_json({"error": parts}, indent=None)


class Tour:
    """A store under audit, and what was seen on it.

    A system's tour fills it with data, then asks: `tour.ask(request, expected)` for each of its access patterns,
    `tour.do(title, operation, expected)` for what an application does in several requests. What is expected is
    reckoned from the data in plain Python, never read from the store.

    An operation that fails is a step that is wrong, and its answer is None. Where the rest of the tour cannot do
    without it, the tour ends there.
    """

    def __init__(self, db: Store, tables: Iterable[Table], audit: Audit, listener: Listener) -> None:
        self.db = db
        self.steps: list[Step] = []
        self._titles = {each.name: each.description for table in tables for each in table.patterns}
        self._watched = _Watched(db, audit)
        self._listener = listener
        self._failed = False

    @classmethod
    @contextmanager
    def open(cls, target: Any, tables: Iterable[Table], listener: Listener) -> Iterator[Tour]:
        """A tour on whatever `connect` takes, with the tables of a design, which are made or must be empty.

        Raises `Ended` where the tour cannot go on after an operation that failed.
        """
        declared = list(tables)
        with _audited(target, declared) as watched:
            _check_empty(watched.db, declared)
            tour = cls(watched.db, declared, watched.audit, listener)
            try:
                yield tour
            except Exception as error:
                if not tour._failed or isinstance(error, _OF_THE_PLACE):
                    raise
                missing = f"left out, since it needs an answer that is missing: {_named(error)}"
                tour._tell(Step("The rest of this tour", (), (), "nothing", None, Cost(), Cost(), missing))
                raise Ended(tour.steps) from error

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
        answer, step = self._watched.run(title, operation, expected)
        self._failed |= step.failed
        self._tell(step)
        return answer

    def apart(
        self,
        title: str,
        tables: Iterable[Table],
        stored: Iterable[Any],
        operation: Callable[[Store], T],
        expected: Any,
    ) -> T:
        """Run an operation in memory, on tables that have these items and nothing else."""
        with _audited("memory:", list(tables)) as watched:
            load(watched.db, stored)
            answer, step = watched.run(title, operation, expected)
        self._failed |= step.failed
        self._tell(step)
        return answer

    def _tell(self, step: Step) -> None:
        self.steps.append(step)
        self._listener.step(step)

    def _title(self, request: Any) -> str:
        name: str = getattr(getattr(request, "pattern", None), "name", type(request).__name__)
        return str(self._titles.get(name, name))

    def section(self, title: str) -> None:
        """Begin a part of the tour."""
        self._listener.section(title)

    def note(self, text: str, *, holds: bool = True) -> None:
        """Say something; what the figures do not show is a step that is wrong."""
        self._listener.note(text)
        if not holds:
            self._tell(Step(text, (), (), "nothing", None, Cost(), Cost(), "the figures do not show this"))

    def table(
        self, headers: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[int] = ()
    ) -> None:
        """Show figures."""
        self._listener.table(headers, [[str(cell) for cell in row] for row in rows], right)


def in_any_order(expected: Iterable[Any]) -> Callable[[Iterable[Any]], bool]:
    """Whether an answer has just these, in whatever order: what scans and batches promise."""
    wanted = sorted(map(repr, expected))
    return lambda answer: sorted(map(repr, answer)) == wanted


class _Watched:
    """A store, and the audit that hears of its requests."""

    def __init__(self, db: Store, audit: Audit) -> None:
        self.db = db
        self.audit = audit

    def run(self, title: str, operation: Callable[[Store], T], expected: Any) -> tuple[T, Step]:
        """Run an operation, and hold it to what is expected; one that fails has no answer."""
        answer: Any = None
        failure: Exception | None = None
        self.audit.clear()
        self.audit.on = True
        try:
            with self.db.meter(everywhere=True) as meter:
                answer = operation(self.db)
        except _OF_THE_PLACE:
            raise
        except Exception as error:
            failure = error
        finally:
            self.audit.on = False
        return answer, Step(
            title=title,
            patterns=tuple(sorted(self.audit.patterns)),
            sent=tuple(self.audit.sent),
            answer="failed" if failure else _told(answer),
            estimated=_estimated(meter),
            priced=self.audit.cost,
            consumed=meter.consumed,
            wrong=_named(failure) if failure else _difference(answer, expected),
            failed=failure is not None,
        )


@contextmanager
def _audited(target: Any, tables: list[Table]) -> Iterator[_Watched]:
    """A store with some tables, under audit."""
    audit = Audit(*tables)
    with connect(target, hooks=[audit]) as db:
        audit.client = db.client
        db.ensure_tables(*tables)
        yield _Watched(db, audit)


def _check_empty(db: Store, tables: Iterable[Table]) -> None:
    for table in tables:
        if has_items(db, table):
            raise NotEmpty(table.name)


def _named(error: Exception) -> str:
    """A failure in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


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
