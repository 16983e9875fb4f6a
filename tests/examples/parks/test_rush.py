"""The rush: many buyers at once at scarce pools; nothing is sold twice and nothing is lost, also after a kill."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from time import sleep

import pytest

from examples.parks.bookings import Booking, BookingDate
from examples.parks.operations.balance import balance
from examples.parks.operations.bookings import Stay, book, confirm
from examples.parks.products import InventoryPool
from examples.parks.rush import DAYS, OFFERS, Attempt, prepare, rush
from pksk import Engine, Store, connect
from tests.project.tree import ROOT

ATTEMPTS = 300


def check(db: Store, endings: Counter[str]) -> None:
    """Counted anew from the items as they are stored, in plain Python."""
    status = {each.booking_id: each.status for each in db.scan(Booking.scan())}
    sold: Counter[tuple[str, str]] = Counter()
    for each in db.scan(BookingDate.scan()):
        if status[each.booking_id] == "confirmed":
            sold[(str(each.day), each.asset.sk)] += each.quantity
    pools = list(db.scan(InventoryPool.scan()))
    assert len(pools) == len(DAYS) * len(OFFERS)
    for pool in pools:
        booked = sold[(str(pool.day), f"{pool.asset_type}::{pool.asset_id}")]
        assert pool.capacity - pool.availability == booked <= pool.capacity
    assert Counter(status.values())["in progress"] == 0
    assert balance(db).wrong == ()
    assert endings["sold out"] > 0


def test_fifty_concurrent_buyers_never_oversell() -> None:
    with connect("memory:") as db:
        endings = rush(db, ATTEMPTS, 50)

        check(db, endings)
        found = balance(db)
    assert endings.total() == ATTEMPTS
    assert (found.bookings["confirmed"], found.bookings["cancelled"], found.bookings["expired"]) == (
        endings["paid"],
        endings["cancelled"],
        endings["left"],
    )


def test_conflicting_transactions_are_retried() -> None:
    with Engine.open(conflicts=True) as engine, connect(engine) as db:
        endings = rush(db, 60, 12)

        check(db, endings)


def test_a_second_run_finds_existing_bookings_and_oversells_nothing() -> None:
    with connect("memory:") as db:
        first = rush(db, 150, 20)
        booked = {each.booking_id for each in db.scan(Booking.scan())}
        again = rush(db, 150, 20)

        check(db, again)
        assert booked <= {each.booking_id for each in db.scan(Booking.scan())}
    assert again["before"] == len(booked) == 150 - first["sold out"]


def test_an_attempt_is_the_same_in_every_run() -> None:
    assert [Attempt.of(number) for number in range(50)] == [Attempt.of(number) for number in range(50)]
    assert {Attempt.of(number).outcome for number in range(50)} == {"pays", "leaves", "cancels"}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kill -9 is of POSIX systems")
def test_a_killed_run_resumes_and_loses_no_unit(tmp_path: Path) -> None:
    arguments = ["--target", str(tmp_path / "rush.db"), "rush", "--attempts", "200", "--buyers", "20"]
    command = [sys.executable, "-u", "-m", "examples.parks", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        while not killed.stdout.readline().startswith("  60"):
            assert killed.poll() is None
        os.kill(killed.pid, signal.SIGKILL)
    assert killed.returncode == -signal.SIGKILL

    with connect(tmp_path / "rush.db") as db:
        halfway = balance(db)
        resumed = rush(db, 200, 20)
        check(db, resumed)

    assert halfway.wrong == ()
    assert sum(halfway.bookings.values()) > 0
    assert resumed["before"] > 0
    assert resumed.total() == 200


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent in another way there")
def test_an_interrupted_run_stops_and_prints_how_to_continue(tmp_path: Path) -> None:
    arguments = ["--target", str(tmp_path / "rush.db"), "rush", "--attempts", "4000", "--buyers", "20"]
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "examples.parks", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no threads here
    ) as run:
        assert run.stdout is not None
        while not run.stdout.readline().startswith("  60"):
            assert run.poll() is None
        run.send_signal(signal.SIGINT)
        _, printed = run.communicate(timeout=60)

    stopped = re.fullmatch(
        r"Stopped after (\d+) attempts\. To continue, run it again with the same arguments\.\n", printed
    )
    assert run.returncode == 128 + signal.SIGINT
    assert stopped
    assert int(stopped[1]) < 2000
    with connect(tmp_path / "rush.db") as db:
        assert sum(balance(db).bookings.values()) <= int(stopped[1])
        assert balance(db).wrong == ()


def test_a_failing_buyer_ends_the_rush(monkeypatch: pytest.MonkeyPatch) -> None:
    began: list[int] = []

    def attempt(db: Store, wish: Attempt) -> str:
        began.append(wish.number)
        if wish.number == 5:
            raise RuntimeError("broken")
        sleep(0.001)
        return "paid"

    monkeypatch.setattr("examples.parks.rush.make_attempt", attempt)
    with connect("memory:") as db, pytest.raises(RuntimeError, match="broken"):
        rush(db, 100_000, 4)

    assert len(began) < 50_000


def test_a_manual_payment_does_not_disturb_a_rush() -> None:
    with connect("memory:") as db:
        prepare(db, 40)
        stay = Stay(DAYS[0], DAYS[0])
        paid = book(db, "ann", OFFERS[0], stay, now=datetime.now(UTC))
        confirm(db, paid, "PAY-1", 2300, datetime.now(UTC))

        assert rush(db, 40, 4).total() == 40


@pytest.mark.parametrize(("change", "message"), [(-1, "booked"), (1, "booked")])
def test_the_balance_finds_lost_and_oversold_units(change: int, message: str) -> None:
    with connect("memory:") as db:
        rush(db, 30, 5)
        pool = next(iter(db.scan(InventoryPool.scan())))
        parts = {**OFFERS[pool.asset_id - 1].model_dump(), "day": pool.day}
        db.update(InventoryPool.primary.update(**parts).add(availability=change))

        (line,) = balance(db).wrong
    assert message in line
    assert str(pool.day) in line


def test_the_balance_finds_a_booking_that_lost_a_day() -> None:
    with connect("memory:") as db:
        rush(db, 30, 5)
        sold = {each.booking_id for each in db.scan(Booking.scan()) if each.status == "confirmed"}
        day = next(each for each in db.scan(BookingDate.scan()) if each.booking_id in sold)
        db.delete(day)

        wrong = balance(db).wrong
    assert any(str(day.booking_id) in line for line in wrong)
    assert len(wrong) == 2
