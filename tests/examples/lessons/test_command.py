"""The command of the lessons."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import examples.lessons.__main__ as lessons
from examples.lessons.__main__ import app
from examples.lessons.comparisons import LESSONS
from examples.tour.printing import Printed

FEWEST = "200"


def test_all_pairs_support_their_conclusions_with_the_fewest_items() -> None:
    ran = CliRunner().invoke(app, ["compare", "--items", FEWEST])

    assert ran.exit_code == 0
    assert [lesson.title for lesson in LESSONS if lesson.title not in ran.output] == []
    assert [lesson.conclusion for lesson in LESSONS if f". {lesson.conclusion}" not in ran.output] == []
    assert "do not show" not in ran.output


def test_figures_that_do_not_support_the_conclusion_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    unlike = replace(LESSONS[0], variants=LESSONS[0].variants[::-1])
    monkeypatch.setattr(lessons, "LESSONS", (unlike,))

    ran = CliRunner().invoke(app, ["compare", "--items", FEWEST])

    assert ran.exit_code == 0
    assert f"With {FEWEST} items the figures do not show this: {unlike.conclusion}" in ran.output


@pytest.mark.parametrize("words", [["compare", "6", "--items", "50"], ["compare", "7", "--items", "100"]])
def test_too_few_items_are_a_usage_error(words: list[str]) -> None:
    ran = CliRunner().invoke(app, words)

    assert ran.exit_code == 2
    assert f"is not in the range {FEWEST}<=x<=100000" in ran.output


def test_one_pair_is_compared() -> None:
    ran = CliRunner().invoke(app, ["compare", "2", "--items", FEWEST])

    assert ran.exit_code == 0
    assert [lesson.title for lesson in LESSONS if lesson.title in ran.output] == ["Numbers in sequence"]


def test_every_kind_of_request_is_printed_with_the_figures() -> None:
    ran = CliRunner().invoke(app, ["compare", str(len(LESSONS)), "--items", FEWEST])

    two_tables = next(line for line in ran.output.splitlines() if line.startswith("two tables"))
    assert two_tables.endswith("Get lesson-users p0; Query orders user_id = 'p0' REVERSE")
    assert "Put numbered 1" in CliRunner().invoke(app, ["ids", "--items", FEWEST]).output


@pytest.mark.parametrize("command", ["compare", "ids"])
def test_a_command_that_runs_in_memory_rejects_another_target(command: str, tmp_path: Path) -> None:
    file = tmp_path / "lessons.db"

    ran = CliRunner().invoke(app, ["--target", str(file), command, "--items", FEWEST])

    assert ran.exit_code == 2
    assert f"'{command}' runs in memory" in ran.output
    assert "Usage: " in ran.output
    assert not file.exists()
    given = CliRunner(env={"PKSK_TARGET": str(file)}).invoke(app, ["ids", "--items", FEWEST])
    assert (given.exit_code, file.exists()) == (0, False)


def test_long_measurements_show_their_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[tuple[str, int, int]] = []
    monkeypatch.setattr(Printed, "progress", lambda _, what, done, total: events.append((what, done, total)))

    assert CliRunner().invoke(app, ["compare", "1", "--items", "600"]).exit_code == 0

    assert [each for each in events if each[0] == 'pk "USER"'] == [
        ('pk "USER"', done, 1200) for done in (500, 600, 800, 1000, 1200)
    ]


def test_ids_are_compared() -> None:
    ran = CliRunner().invoke(app, ["ids", "--items", FEWEST])

    assert [line.split()[0] for line in ran.output.splitlines()] == ["ids", "a", "numbers", "random"]


@pytest.mark.parametrize(
    "wrong", [["compare", "99"], ["compare", "x"], ["ids", "--items", "1"], ["idz"], ["load", "--items", "1"]]
)
def test_wrong_arguments_print_the_usage(wrong: list[str]) -> None:
    ran = CliRunner().invoke(app, wrong)

    assert ran.exit_code == 2
    assert "Usage: " in ran.output
