"""The tour through a system: runs its access patterns and operations, and checks every answer and every price."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol, TypeVar

from pksk import AccessDenied, Meter, NotConfigured, ServiceUnreachable, Store, Table, connect
from pksk.capacity import Cost
from pksk.cli.commands import InputError
from pksk.cli.output import as_json

from .loading import has_items, load
from .price_check import PriceCheck
from .step import Step

T = TypeVar("T")

# Errors of the target, not of the application: they end the tour.
_TARGET_ERRORS = (ServiceUnreachable, NotConfigured, AccessDenied)


class Listener(Protocol):
    """Shows or collects the events of a tour."""

    def section(self, title: str) -> None: ...
    def step(self, step: Step) -> None: ...
    def note(self, text: str) -> None: ...
    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> None: ...
    def progress(self, what: str, count: int, total: int) -> None: ...
    def filled(self, what: str, count: int) -> None: ...


@dataclass(frozen=True)
class Comparison:
    """The most telling comparison of a system, for its screen in `pksk demo`."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Sequence[int]
    conclusion: str


class Stopped(Exception):
    """The tour could not go on after an operation that failed; `tour` has the steps until then."""

    def __init__(self, tour: Tour) -> None:
        super().__init__(f"the tour stopped after {len(tour.steps)} steps")
        self.tour = tour


class NotEmpty(InputError):
    """A table already has items, which would change the answers of a tour."""

    def __init__(self, table: str) -> None:
        self.problem = f"The table {table!r} has items, and they would change the answers that a tour checks."
        self.fix = "run it in memory:, in a new file, or after db.drop_tables(...) of these tables."
        super().__init__(f"{self.problem}\nFix: {self.fix}")

    @property
    def document(self) -> str:
        """The error as JSON, in the form that all commands use."""
        parts = {"code": None, "problem": self.problem, "expected": "", "fix": self.fix}
        return as_json({"error": parts}, indent=None)


class Tour:
    """Runs reads and operations on a store, and keeps a checked step for each.

    A system's `run_tour` fills the store with data. Then it calls `tour.run(request, expected)` for each access
    pattern, and `tour.call(title, operation, expected)` for each operation of the application. What is expected is
    computed from the data in plain Python, never read from the store.

    An operation that raises an error is a wrong step, and its answer is None. If the rest of the tour needs that
    answer, the tour stops there.
    """

    def __init__(self, db: Store, tables: Iterable[Table], prices: PriceCheck, listener: Listener) -> None:
        self.db = db
        self.steps: list[Step] = []
        self.comparison: Comparison | None = None
        self.finding: Sequence[str] = ()
        self.proof = ""
        self.stored = 0
        self._titles = {each.name: each.description for table in tables for each in table.patterns}
        self._checked = _CheckedStore(db, prices)
        self._listener = listener
        self._failed = False

    @classmethod
    @contextmanager
    def open(cls, target: Any, tables: Iterable[Table], listener: Listener) -> Iterator[Tour]:
        """A tour on whatever `connect` takes. Missing tables are created; existing ones must be empty.

        Raises `Stopped` if the tour cannot go on after an operation that failed.
        """
        declared = list(tables)
        with _checked_store(target, declared) as checked:
            _check_empty(checked.db, declared)
            tour = cls(checked.db, declared, checked.prices, listener)
            try:
                yield tour
            except Exception as error:
                if not tour._failed or isinstance(error, _TARGET_ERRORS):
                    raise
                problem = f"left out, since it needs an answer that is missing: {_error_text(error)}"
                tour._add(Step("The rest of this tour", (), (), "nothing", None, Cost(), Cost(), problem))
                raise Stopped(tour) from error

    def fill(self, entities: Iterable[Any], total: int, what: str = "items") -> int:
        """Store generated data, and show the progress; doing it again changes nothing."""
        count = load(self.db, entities, lambda count: self._listener.progress(what, count, total))
        self.stored += count
        self._listener.filled(what, count)
        return count

    def run(self, request: Any, expected: Any, *, title: str = "") -> Any:
        """Run a read or write; `expected` is the answer, or a function that returns whether an answer is right.

        Several reads of one access pattern make one step. The title defaults to the description of the pattern.
        """
        several = isinstance(request, list | tuple)
        requests = list(request) if several else [request]

        def run(db: Store) -> Any:
            answers = [db.run(each) for each in requests]
            return list(chain.from_iterable(answers)) if several else answers[0]

        return self.call(title or self._title(requests[0]), run, expected)

    def call(self, title: str, operation: Callable[[Store], T], expected: Any) -> T:
        """Call an operation of the application, which may send any number of requests."""
        return self._call(self._checked, title, operation, expected)

    def call_in_memory(
        self,
        title: str,
        tables: Iterable[Table],
        stored: Iterable[Any],
        operation: Callable[[Store], T],
        expected: Any,
    ) -> T:
        """Call an operation on tables of its own in memory, which hold only these items."""
        with _checked_store("memory:", list(tables)) as checked:
            load(checked.db, stored)
            return self._call(checked, title, operation, expected)

    def _call(self, checked: _CheckedStore, title: str, operation: Callable[[Store], T], expected: Any) -> T:
        answer, step = checked.call(title, operation, expected)
        self._failed |= step.failed
        self._add(step)
        return answer

    def _add(self, step: Step) -> None:
        self.steps.append(step)
        self._listener.step(step)

    def _title(self, request: Any) -> str:
        name: str = getattr(getattr(request, "pattern", None), "name", type(request).__name__)
        return str(self._titles.get(name, name))

    def section(self, title: str) -> None:
        """Begin a part of the tour."""
        self._listener.section(title)

    def note(self, text: str, *, holds: bool = True) -> None:
        """Show a remark; one that does not hold adds a wrong step."""
        self._listener.note(text)
        if not holds:
            problem = "the figures do not show this"
            self._add(Step(text, (), (), "nothing", None, Cost(), Cost(), problem))

    def table(
        self, headers: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[int] = ()
    ) -> None:
        """Show figures; the columns in `right` are numbers."""
        self._listener.table(headers, _cells(rows), right)

    def compare(
        self,
        title: str,
        headers: Sequence[str],
        rows: Iterable[Sequence[object]],
        right: Sequence[int] = (),
        *,
        conclusion: str,
    ) -> None:
        """Keep the comparison that `pksk demo` shows for this system."""
        self.comparison = Comparison(title, headers, _cells(rows), right, conclusion)

    def find(self, title: str, lines: Iterable[str]) -> None:
        """Show a finding of the review; `pksk demo` shows it too, above the comparison."""
        self.note(title)
        self.finding = (title, *lines)

    def prove(self, text: str, *, holds: bool) -> None:
        """Show what this system guarantees, as its figures prove it; `pksk demo` shows it too."""
        self.proof = text
        self.note(text, holds=holds)


def in_any_order(expected: Iterable[Any]) -> Callable[[Iterable[Any]], bool]:
    """Whether an answer has exactly these items in any order, which is all that scans and batches promise."""
    expected_texts = sorted(map(repr, expected))
    return lambda answer: sorted(map(repr, answer)) == expected_texts


def error_name(operation: Any) -> Callable[[Store], str]:
    """An operation or request that must fail, as one that returns the name of its error."""

    def run(db: Store) -> str:
        try:
            operation(db) if callable(operation) else db.run(operation)
        except _TARGET_ERRORS:
            raise
        except Exception as error:
            return type(error).__name__
        return "no error"

    return run


class _CheckedStore:
    """A store whose requests are priced as they are sent."""

    def __init__(self, db: Store, prices: PriceCheck) -> None:
        self.db = db
        self.prices = prices

    def call(self, title: str, operation: Callable[[Store], T], expected: Any) -> tuple[T, Step]:
        """Call an operation, and compare its answer with the expected one; the answer is None if it fails."""
        answer: Any = None
        failure: Exception | None = None
        self.prices.clear()
        self.prices.enabled = True
        try:
            with self.db.meter(everywhere=True) as meter:
                answer = operation(self.db)
        except _TARGET_ERRORS:
            raise
        except Exception as error:
            failure = error
        finally:
            self.prices.enabled = False
        return answer, Step(
            title=title,
            patterns=tuple(sorted(self.prices.patterns)),
            requests=tuple(self.prices.lines),
            answer="failed" if failure else _answer_text(answer),
            estimated=_estimated(meter),
            priced=self.prices.cost,
            consumed=self.prices.consumed(meter.consumed),
            wrong=_error_text(failure) if failure else _difference(answer, expected),
            failed=failure is not None,
        )


@contextmanager
def _checked_store(target: Any, tables: list[Table]) -> Iterator[_CheckedStore]:
    prices = PriceCheck(*tables)
    with connect(target, hooks=[prices]) as db:
        prices.client = db.client
        db.ensure_tables(*tables)
        yield _CheckedStore(db, prices)


def _check_empty(db: Store, tables: Iterable[Table]) -> None:
    for table in tables:
        if has_items(db, table):
            raise NotEmpty(table.name)


def _cells(rows: Iterable[Sequence[object]]) -> list[list[str]]:
    return [[str(cell) for cell in row] for row in rows]


def _error_text(error: Exception) -> str:
    """An error in one line."""
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
        return "" if expected(answer) else f"the answer is not right: {_answer_text(answer)}"
    return "" if answer == expected else f"expected {_answer_text(expected)}, got {_answer_text(answer)}"


def _answer_text(answer: Any) -> str:
    """An answer in a few words."""
    if answer is None:
        return "nothing"
    if isinstance(answer, list | tuple | set | range):
        return "1 item" if len(answer) == 1 else f"{len(answer):,} items"
    return "1 item" if hasattr(type(answer), "__pksk__") else str(answer)
