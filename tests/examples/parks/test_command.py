"""The command of the parks system: output, rejected arguments and exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from examples.parks.__main__ import app
from examples.parks.products import InventoryPool
from examples.parks.tables import key_fields
from pksk import connect
from pksk.cli.app import run_command

DAY_PASS = ("park_1", "dayuse", "1", "1", "2026-06-26")


@pytest.fixture
def target(tmp_path: Path) -> str:
    path = str(tmp_path / "parks.db")
    assert output(path, "load", "--items", "300").endswith(f"items in {path}\n")
    return path


def run(target: str, *words: str) -> Result:
    return CliRunner().invoke(app, ["--target", target, *words])


def output(target: str, *words: str) -> str:
    ran = run(target, *words)
    assert ran.exit_code == 0, ran.output
    return ran.output


def test_a_booking_from_its_beginning_to_its_end(target: str) -> None:
    assert "Cedar Bay (park_1)" in output(target, "show", "park_1")
    day, *_, left, _ = output(target, "free", *DAY_PASS, "2026-06-26").splitlines()[1].split()
    number = output(target, "book", "ann", *DAY_PASS).split()[0]
    assert output(target, "free", *DAY_PASS, day).splitlines()[1].split()[-2] == str(int(left) - 1)
    assert output(target, "pay", number, "PAY-1", "2300") == f"{number} is confirmed\n"
    assert output(target, "cancel", number) == f"{number} is cancelled\n"
    assert output(target, "sweep").endswith("0 skipped\n")
    assert output(target, "sweep").startswith("0 bookings ended")
    assert "every pool agrees with its bookings" in output(target, "balance")
    assert int(output(target, "audit").split()[0].replace(",", "")) > 10
    assert output(target, "audit") == "0 rows\n"


def test_a_load_after_a_booking_keeps_it_and_its_unit(target: str) -> None:
    number = output(target, "book", "ann", *DAY_PASS, "--quantity", "3").split()[0]
    free = output(target, "free", *DAY_PASS, DAY_PASS[-1])

    output(target, "load", "--items", "300")

    assert output(target, "free", *DAY_PASS, DAY_PASS[-1]) == free
    assert "every pool agrees with its bookings" in output(target, "balance")
    assert output(target, "cancel", number) == f"{number} is cancelled\n"


def test_a_load_of_another_size_is_rejected(target: str) -> None:
    before = output(target, "balance")

    ran = run(target, "load", "--items", "900")

    assert ran.exit_code == 1
    assert ran.output.startswith("Error: --items 900: a load of 300 items was started here")
    assert output(target, "balance") == before


def test_closed_days_are_not_shown_as_free(tmp_path: Path) -> None:
    target = str(tmp_path / "parks.db")
    output(target, "load", "--items", "1000")

    lines = [line.split() for line in output(target, "free", *DAY_PASS, "2026-07-02").splitlines()[1:]]

    closed = [day for day, *_, left, _ in lines if left == "closed"]
    assert closed == ["2026-06-30"]
    for day in (line[0] for line in lines):
        ran = run(target, "book", f"visitor of {day}", *DAY_PASS[:4], day)
        assert (ran.exit_code, "is not offered" in ran.output) == ((1, True) if day in closed else (0, False))


def test_a_payment_is_taken_once(target: str) -> None:
    mine, yours = (output(target, "book", name, *DAY_PASS).split()[0] for name in ("ann", "bob"))
    output(target, "pay", mine, "PAY-1", "2300")

    assert output(target, "pay", mine, "PAY-1", "2300") == f"{mine} is confirmed\n"
    for booking, cents in ((mine, "999"), (yours, "2300")):
        ran = run(target, "pay", booking, "PAY-1", cents)
        assert ran.exit_code == 1
        assert ran.output.startswith(
            f"Error: The number PAY-1 belongs to a payment of 2300 cents for the booking {mine}"
        )
    output(target, "cancel", mine)
    ran = run(target, "pay", mine, "PAY-1", "2300")
    assert ran.exit_code == 1
    assert ran.output == f"Error: The booking {mine} is cancelled; PAY-1 paid 2300 cents for it before.\n"


def test_too_many_days_are_a_usage_error(target: str) -> None:
    ran = run(target, "free", *DAY_PASS[:4], "2026-06-26", "9999-12-31")

    assert ran.exit_code == 2
    assert "2026-06-26 to 9999-12-31 is too long; the most is 366 days." in ran.output


def test_a_rush_ends_with_its_balance(tmp_path: Path) -> None:
    lines = output(str(tmp_path / "rush.db"), "rush", "--attempts", "40", "--buyers", "8").splitlines()

    assert lines[0].startswith("40 attempts by 8 buyers")
    assert lines[-2].endswith(" 0 lost")
    assert lines[-1] == "every pool agrees with its bookings"


def test_an_error_is_printed_in_one_line(target: str) -> None:
    output(target, "book", "ann", *DAY_PASS)
    unknown = "0c5b7f3e-8d0d-4c67-9a83-6f1f3f0f8a01"
    for words, text in (
        (("book", "ann", *DAY_PASS), "Another booking begins on 2026-06-26 already"),
        (("book", "bob", *DAY_PASS, "--quantity", "90"), "2026-06-26 is sold out: 90 wanted"),
        (("book", "bob", *DAY_PASS[:4], "2020-01-01"), "2020-01-01 is not offered."),
        (("pay", unknown, "PAY-1", "5"), f"There is no booking {unknown}."),
        (("show", "park_99"), "There is no park 'park_99'."),
        (("free", "nowhere", *DAY_PASS[1:], "2026-06-26"), "There is no product 'nowhere dayuse 1 1'"),
        (("free", *DAY_PASS[:4], "2020-01-01", "2020-01-02"), "Nothing is offered from 2020-01-01 to"),
    ):
        ran = run(target, *words)
        assert ran.exit_code == 1
        assert ran.output.startswith(f"Error: {text}")
        assert len(ran.output.splitlines()) == 1


def test_a_wrong_balance_exits_with_1(target: str) -> None:
    with connect(target) as db:
        pool = next(iter(db.scan(InventoryPool.scan())))
        db.put(pool.model_copy(update={"availability": pool.capacity + 1}))

    ran = run(target, "balance")

    assert ran.exit_code == 1
    assert "WRONG: inventoryPool::" in ran.output


def test_a_sweep_with_a_failed_booking_reports_it_and_exits_with_1(target: str) -> None:
    with connect(target) as db:
        for pool in list(db.scan(InventoryPool.scan())):
            db.delete(InventoryPool.primary.delete(**key_fields(pool)))

    ran = run(target, "sweep")

    assert ran.exit_code == 1
    lines, *failed = ran.output.splitlines()
    assert lines.startswith("0 bookings ended")
    assert failed
    assert all(line.startswith("FAILED: The booking ") for line in failed)


@pytest.mark.parametrize(
    "words",
    [
        ("bok",),
        ("book", "ann", "park_1"),
        ("book", "ann", *DAY_PASS[:4], "yesterday"),
        ("book", "ann", *DAY_PASS, "--quantity", "0"),
        ("book", "ann", *DAY_PASS, "--last", "2026-06-25"),
        ("free", *DAY_PASS, "2026-06-25"),
        ("rush", "--buyers", "many"),
        ("load", "--items", "7"),
        ("pay", "not-a-uuid", "PAY-1", "5"),
        ("show", ""),
        ("show", " "),
        ("free", "", *DAY_PASS[1:], "2026-06-26"),
        ("free", "park_1", "", *DAY_PASS[2:], "2026-06-26"),
        ("book", "", *DAY_PASS),
        ("pay", "0c5b7f3e-8d0d-4c67-9a83-6f1f3f0f8a01", "", "5"),
    ],
)
def test_wrong_arguments_print_the_usage(tmp_path: Path, words: tuple[str, ...]) -> None:
    ran = run(str(tmp_path / "parks.db"), *words)

    assert ran.exit_code == 2
    assert ran.output.startswith("Usage: ")


def test_spaces_around_an_argument_are_stripped(target: str) -> None:
    assert output(target, "show", " park_1 ") == output(target, "show", "park_1")


@pytest.mark.parametrize("words", [("show", "park_1"), ("audit",)])
def test_an_unreachable_endpoint_is_reported_without_a_traceback(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code = run_command(app, "parks", ["--target", "http://127.0.0.1:9", *words])

    assert code == 2
    first, *more = capsys.readouterr().err.splitlines()
    assert "http://127.0.0.1:9: the connection was refused" in first
    assert all(line.startswith("Fix: ") for line in more)
    assert len(more) < 2


UNKNOWN = "0c5b7f3e-8d0d-4c67-9a83-6f1f3f0f8a01"


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize(
    "words",
    [
        ("show", "park_1"),
        ("free", *DAY_PASS, "2026-06-26"),
        ("book", "ann", *DAY_PASS),
        ("pay", UNKNOWN, "PAY-1", "5"),
        ("cancel", UNKNOWN),
        ("sweep",),
        ("audit",),
        ("balance",),
    ],
    ids=lambda words: words[0],
)
def test_without_data_a_command_prints_how_to_load_it(
    tmp_path: Path, words: tuple[str, ...], is_there: bool
) -> None:
    path = tmp_path / "parks.db"
    if is_there:
        with connect(path) as db:
            db.client.call("ListTables", {})

    ran = run(str(path), *words)

    problem, fix = ran.output.splitlines()
    assert ran.exit_code == 1
    assert str(path) in problem
    assert fix.endswith(f"--target {path} load")
    assert path.exists() is is_there
