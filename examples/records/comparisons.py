"""The hot spot compared: many workers who add records to one post all check the same item, and conflict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from time import perf_counter

from pksk import Engine, RequestFinished, RequestStarted, Store, connect

from .catalogue import Collection, Post
from .operations.registers import Line, add_record, import_register
from .registers import Record
from .tables import ids, records

_POST = 1_000_000


@dataclass(frozen=True)
class Measurement:
    """The cost of storing some records in one way."""

    way: str
    records: int
    requests: int
    conflicts: int
    units_each: float
    seconds: float


class _Counted:
    """A hook that counts requests and conflicts."""

    def __init__(self) -> None:
        self.requests = self.conflicts = 0
        self._lock = Lock()

    def __call__(self, sending: RequestStarted) -> Callable[[RequestFinished], None]:
        def finish(finished: RequestFinished) -> None:
            with self._lock:
                self.requests += 1
                self.conflicts += finished.error is not None and "TransactionConflict" in str(finished.error)

        return finish


def measure(lines: Sequence[Line], workers: int) -> list[Measurement]:
    """Store the same lines in three ways, with so many workers, on engines where overlapping transactions conflict."""
    posts = [_POST + number for number in range(workers)]
    parts = [lines[number::workers] for number in range(workers)]

    def one_by_one(db: Store, post_id: int, part: Sequence[Line]) -> None:
        for line in part:
            add_record(db, post_id, line)

    ways: dict[str, Callable[[Store], None]] = {
        "one by one, all into one post": lambda db: _side_by_side(db, one_by_one, [_POST] * workers, parts),
        "one by one, a post per worker": lambda db: _side_by_side(db, one_by_one, posts, parts),
        "by one worker, as one register": lambda db: _side_by_side(db, import_register, [_POST], [lines]),
    }
    return [_measured(way, run, posts, len(lines)) for way, run in ways.items()]


def _side_by_side(
    db: Store,
    work: Callable[[Store, int, Sequence[Line]], object],
    posts: Sequence[int],
    parts: Sequence[Sequence[Line]],
) -> None:
    with ThreadPoolExecutor(len(posts)) as pool:
        list(pool.map(lambda post_id, part: work(db, post_id, part), posts, parts))


def _measured(way: str, run: Callable[[Store], None], posts: Sequence[int], lines: int) -> Measurement:
    counted = _Counted()
    with _conflicting(counted) as db:
        db.create(Collection(id=1, name="hot spot"))
        for each in posts:
            db.create(Post(id=each, collection_id=1, name="hot spot"))
        db.reconcile(ids, _POST + len(posts))
        counted.requests = counted.conflicts = 0
        start = perf_counter()
        with db.meter(everywhere=True) as meter:
            run(db)
        seconds = perf_counter() - start
        requests, conflicts = counted.requests, counted.conflicts
        stored = sum(db.count(Record.of_post(each)) for each in posts)
        assert stored == lines, f"{stored} of {lines} records were stored"
        return Measurement(way, stored, requests, conflicts, meter.consumed.write / stored, seconds)


@contextmanager
def _conflicting(counted: _Counted) -> Iterator[Store]:
    """A store on a file, whose commits take long enough for calls to overlap."""
    with (
        TemporaryDirectory() as folder,
        Engine.open(Path(folder) / "hot.db", conflicts=True) as engine,
        connect(engine, hooks=[counted]) as db,
    ):
        db.create_tables(records)
        yield db
