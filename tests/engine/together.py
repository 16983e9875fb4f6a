"""Calls that overlap: threads that are given up after a while, and calls that are held or come in between."""

from __future__ import annotations

import faulthandler
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from threading import Event, Thread
from typing import Any, cast

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.engine.storage import Storage, Writer

__all__ = ["PATIENCE", "Call", "after_write", "before_read", "before_write", "held", "together"]

# A call that has not come back by then never will.
PATIENCE = 30.0


class Call:
    """Work that a thread of its own has begun."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._result: Any = None
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    @classmethod
    def of(cls, engine: Engine, operation: str, request: Mapping[str, Any]) -> Call:
        return cls(lambda: engine.call(operation, request))

    def waits(self) -> bool:
        """Whether it is under way still, though it had the time to come back."""
        self._thread.join(0.05)
        return self._thread.is_alive()

    def result(self) -> Any:
        """What it gave, or raises what it raised."""
        self._thread.join(PATIENCE)
        if self._thread.is_alive():
            faulthandler.dump_traceback()
            pytest.fail("a call does not come back")
        if self._error is not None:
            raise self._error
        return self._result

    def error(self) -> ServiceError:
        with pytest.raises(ServiceError) as caught:
            self.result()
        return caught.value

    def _run(self) -> None:
        try:
            self._result = self._work()
        except BaseException as error:
            self._error = error


def together(*work: Callable[[], Any]) -> list[Any]:
    """Do all this in threads at the same time; what each gave."""
    begun = Event()

    def at_once(each: Callable[[], Any]) -> Any:
        begun.wait(PATIENCE)
        return each()

    calls = [Call(lambda each=each: at_once(each)) for each in work]  # type: ignore[misc]
    begun.set()
    return [call.result() for call in calls]


class _Gate:
    """A storage that stops the first who writes inside his block, until he is let go."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._closed = True
        self.inside, self.let_go = Event(), Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        with self._storage.writing() as writer:
            if self._closed:
                self._closed = False
                self.inside.set()
                assert self.let_go.wait(PATIENCE)
            yield writer


@contextmanager
def held(engine: Engine, operation: str, request: Mapping[str, Any]) -> Iterator[Call]:
    """A call that is inside its write while the block lasts, and then comes to its end."""
    storage = engine._core.storage
    gate = _Gate(storage)
    engine._core.storage = cast(Storage, gate)
    call = Call.of(engine, operation, request)
    try:
        assert gate.inside.wait(PATIENCE), "the call does not write"
        yield call
    finally:
        gate.let_go.set()
        call.result()
        engine._core.storage = storage


class _Interrupted:
    """A storage whose first block of a kind has something else done right before or after it."""

    def __init__(self, storage: Storage, work: Callable[[], Any], moment: str) -> None:
        self._storage = storage
        self._work = work
        self._moment: str | None = moment

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)

    def get(self, space: int, key: bytes) -> Any:
        self._reached("before read")
        return self._storage.get(space, key)

    def reading(self) -> Any:
        self._reached("before read")
        return self._storage.reading()

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        self._reached("before write")
        with self._storage.writing() as writer:
            yield writer
        self._reached("after write")

    def _reached(self, moment: str) -> None:
        if moment == self._moment:
            self._moment = None
            self._work()


def before_write(engine: Engine, work: Callable[[], Any]) -> AbstractContextManager[None]:
    """A block whose first call that writes has looked at its tables already when this is done."""
    return _interrupted(engine, work, "before write")


def after_write(engine: Engine, work: Callable[[], Any]) -> AbstractContextManager[None]:
    """A block whose first call that writes has written, and not answered yet, when this is done."""
    return _interrupted(engine, work, "after write")


def before_read(engine: Engine, work: Callable[[], Any]) -> AbstractContextManager[None]:
    """A block whose first call that reads has looked at its tables already when this is done."""
    return _interrupted(engine, work, "before read")


@contextmanager
def _interrupted(engine: Engine, work: Callable[[], Any], moment: str) -> Iterator[None]:
    storage = engine._core.storage
    interrupted = _Interrupted(storage, work, moment)
    engine._core.storage = cast(Storage, interrupted)
    try:
        yield
    finally:
        engine._core.storage = storage
    assert interrupted._moment is None, f"there was no moment {moment}"
