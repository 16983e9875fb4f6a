"""The thread that deletes expired items: when it starts, and when it ends."""

from __future__ import annotations

import gc
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from weakref import ref

import pytest

from pksk.engine import Engine
from pksk.engine.sweeper import Sweeper
from tests.engine.faulty import FaultyStorage

from .sessions import START, Sessions

PATIENCE_SECONDS = 10.0


def eventually(happens: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if happens():
            return True
        time.sleep(0.005)
    return happens()


def thread_of(engine: Engine) -> Thread | None:
    sweeper = engine._core.sweeper
    assert isinstance(sweeper, Sweeper)
    return sweeper._thread


def test_moving_the_clock_wakes_the_sweeper() -> None:
    sessions = Sessions()
    sessions.put("a", 60)

    sessions.clock.advance(60)

    assert eventually(lambda: sessions.names() == [])
    sessions.engine.close()


def test_any_other_clock_is_polled() -> None:
    now = float(START)
    sessions = Sessions(clock=lambda: now)
    sessions.put("a", 60)

    now += 60

    assert eventually(lambda: sessions.names() == [])
    sessions.engine.close()


def test_the_sweeper_starts_with_the_first_ttl_table_and_ends_with_the_engine() -> None:
    sessions = Sessions(enabled=False)
    assert thread_of(sessions.engine) is None

    sessions.enable()
    thread = thread_of(sessions.engine)

    assert thread is not None
    assert thread.daemon
    assert thread.is_alive()
    sessions.engine.close()
    assert not thread.is_alive()


def test_opening_a_file_with_a_ttl_table_starts_the_sweeper(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path / "tables.db")
    sessions.put("a", 60)
    sessions.engine.close()
    sessions.clock.advance(60)

    sessions.engine = sessions.opened()

    assert eventually(lambda: sessions.names() == [])
    sessions.engine.close()


def test_an_unreferenced_engine_is_garbage_collected() -> None:
    sessions = Sessions()
    thread, core = thread_of(sessions.engine), ref(sessions.engine._core)
    assert thread is not None
    del sessions
    gc.collect()

    assert eventually(lambda: core() is None and not thread.is_alive())


def test_a_failed_sweep_is_logged_and_repeated(caplog: pytest.LogCaptureFixture) -> None:
    sessions = Sessions()
    sessions.put("a", 60)
    core = sessions.engine._core
    whole, faulty = core.storage, FaultyStorage(core.storage)
    faulty.fail(1, RuntimeError("the disk is on fire"))
    core.storage = faulty  # type: ignore[assignment]

    with caplog.at_level(logging.ERROR, "pksk.engine"):
        sessions.clock.advance(60)
        assert eventually(lambda: "the disk is on fire" in caplog.text)
    core.storage = whole

    assert "Expired items could not be deleted" in caplog.text
    assert eventually(lambda: sessions.names() == [])
    sessions.engine.close()


def test_closing_during_a_sweep_logs_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    threads = []
    for number in range(5):
        sessions = Sessions(tmp_path / f"{number}.db")
        threads.append(thread_of(sessions.engine))
        for item in range(60):
            sessions.put(f"{item}", 60)

        sessions.clock.advance(60)
        sessions.engine.close()

    assert caplog.text == ""
    assert not [thread for thread in threads if thread is None or thread.is_alive()]


def test_concurrent_sweeps_and_calls_of_expire_count_each_item_once() -> None:
    sessions = Sessions()
    counted = 0
    for number in range(20):
        for item in range(10):
            sessions.put(f"{item}", number)
        sessions.clock.set(START + number)
        counted += sessions.engine.expire()

    assert counted == 200
    sessions.engine.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_does_not_hang() -> None:
    sessions = Sessions()
    for item in range(200):
        sessions.put(f"{item}", 60)
    sessions.clock.advance(60)
    child = os.fork()
    if child == 0:  # the sweeper's thread is not here
        sessions.engine.expire()
        sessions.put("child", 600)
        sessions.engine.close()
        os._exit(0 if sessions.engine._core.closed else 1)

    deadline = time.monotonic() + PATIENCE_SECONDS
    ended, status = 0, 0
    while not ended and time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.01)
    if not ended:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

    assert ended
    assert os.waitstatus_to_exitcode(status) == 0
    sessions.engine.close()


def test_a_program_ends_even_if_it_does_not_close_its_engine() -> None:
    program = (
        "from tests.engine.expiry.sessions import Sessions\n"
        "sessions = Sessions()\n"
        "sessions.put('a', 1)\n"
        "sessions.clock.advance(1)\n"
    )

    done = subprocess.run([sys.executable, "-c", program], timeout=30, capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")


def test_closing_inside_a_writing_block_does_not_wait_for_the_sweeper() -> None:
    sessions = Sessions()
    sweeper = sessions.engine._core.sweeper
    assert isinstance(sweeper, Sweeper)
    storage = sessions.engine._core.storage

    with storage.writing() as writer:
        writer.note("kept", b"1")
        sessions.clock.advance(1)
        with pytest.raises(Exception, match="cannot be closed inside one of its writing blocks"):
            sessions.engine.close()

    assert storage.notes("kept") == {"kept": b"1"}
    storage.close()
