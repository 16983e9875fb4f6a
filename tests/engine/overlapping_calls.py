"""Overlapping calls: threads with a time-out, and calls that are paused or made in between."""

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

__all__ = ["TIMEOUT_SECONDS", "Call", "after_write", "before_read", "before_write", "held_call", "in_threads"]

# A call that has not returned by then never will.
TIMEOUT_SECONDS = 30.0


class Call:
    """Work in a thread of its own."""

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
        """Whether it still runs, although it had the time to return."""
        self._thread.join(0.05)
        return self._thread.is_alive()

    def result(self) -> Any:
        """Its return value; raises its exception."""
        self._thread.join(TIMEOUT_SECONDS)
        if self._thread.is_alive():
            faulthandler.dump_traceback()
            pytest.fail("a call does not return")
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


def in_threads(*work: Callable[[], Any]) -> list[Any]:
    """Run functions in threads at the same time and return their results."""
    begun = Event()

    def at_once(each: Callable[[], Any]) -> Any:
        begun.wait(TIMEOUT_SECONDS)
        return each()

    calls = [Call(lambda each=each: at_once(each)) for each in work]  # type: ignore[misc]
    begun.set()
    return [call.result() for call in calls]


class _Gate:
    """A storage that pauses the first writer inside its block until it is released."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._closed = True
        self.inside, self.released = Event(), Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        with self._storage.writing() as writer:
            if self._closed:
                self._closed = False
                self.inside.set()
                assert self.released.wait(TIMEOUT_SECONDS)
            yield writer


@contextmanager
def held_call(engine: Engine, operation: str, request: Mapping[str, Any]) -> Iterator[Call]:
    """A call that is paused inside its write while the block lasts, and then ends."""
    storage = engine._core.storage
    gate = _Gate(storage)
    engine._core.storage = cast(Storage, gate)
    call = Call.of(engine, operation, request)
    try:
        assert gate.inside.wait(TIMEOUT_SECONDS), "the call does not write"
        yield call
    finally:
        gate.released.set()
        call.result()
        engine._core.storage = storage


class _Interrupted:
    """A storage that calls a function right before or after its first block of a kind."""

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
    """A block in which `work` runs after the first writing call has looked up its tables."""
    return _interrupted(engine, work, "before write")


def after_write(engine: Engine, work: Callable[[], Any]) -> AbstractContextManager[None]:
    """A block in which `work` runs after the first writing call has written and before it responds."""
    return _interrupted(engine, work, "after write")


def before_read(engine: Engine, work: Callable[[], Any]) -> AbstractContextManager[None]:
    """A block in which `work` runs after the first reading call has looked up its tables."""
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
    assert interrupted._moment is None, f"no call reached the moment {moment}"
