"""The command of the lessons."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from examples.lessons.__main__ import app
from examples.lessons.pairs import PAIRS
from examples.tour.show import Printed


def test_all_pairs_are_compared() -> None:
    ran = CliRunner().invoke(app, ["compare", "--items", "20"])

    assert ran.exit_code == 0
    assert [pair.title for pair in PAIRS if pair.title not in ran.output] == []


def test_one_pair_is_compared() -> None:
    ran = CliRunner().invoke(app, ["compare", "2", "--items", "20"])

    assert ran.exit_code == 0
    assert [pair.title for pair in PAIRS if pair.title in ran.output] == ["Numbers in sequence"]


def test_every_kind_of_request_stands_beside_the_figures() -> None:
    ran = CliRunner().invoke(app, ["compare", str(len(PAIRS)), "--items", "20"])

    two_tables = next(line for line in ran.output.splitlines() if line.startswith("two tables"))
    assert two_tables.endswith("Get lesson-users p0; Query orders user_id = 'p0' REVERSE")
    assert "Put numbered 1" in CliRunner().invoke(app, ["ids", "--items", "20"]).output


@pytest.mark.parametrize("command", ["compare", "ids"])
def test_what_runs_in_memory_takes_no_other_target(command: str, tmp_path: Path) -> None:
    file = tmp_path / "lessons.db"

    ran = CliRunner().invoke(app, ["--target", str(file), command, "--items", "20"])

    assert ran.exit_code == 2
    assert f"'{command}' runs in memory" in ran.output
    assert "Usage: " in ran.output
    assert not file.exists()
    given = CliRunner(env={"PKSK_TARGET": str(file)}).invoke(app, ["ids", "--items", "20"])
    assert (given.exit_code, file.exists()) == (0, False)


def test_what_takes_long_shows_its_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, int, int]] = []
    monkeypatch.setattr(Printed, "progress", lambda _, what, done, total: told.append((what, done, total)))

    assert CliRunner().invoke(app, ["compare", "1", "--items", "600"]).exit_code == 0

    assert [each for each in told if each[0] == 'pk "USER"'] == [
        ('pk "USER"', done, 1200) for done in (500, 600, 800, 1000, 1200)
    ]


def test_ids_are_compared() -> None:
    ran = CliRunner().invoke(app, ["ids", "--items", "20"])

    assert [line.split()[0] for line in ran.output.splitlines()] == ["ids", "a", "numbers", "random"]


@pytest.mark.parametrize(
    "wrong", [["compare", "99"], ["compare", "x"], ["ids", "--items", "1"], ["idz"], ["load", "--items", "1"]]
)
def test_wrong_arguments_get_the_usage(wrong: list[str]) -> None:
    ran = CliRunner().invoke(app, wrong)

    assert ran.exit_code == 2
    assert "Usage: " in ran.output
