"""The command of the lessons."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from examples.lessons.__main__ import app
from examples.lessons.pairs import PAIRS


def test_all_pairs_are_compared() -> None:
    ran = CliRunner().invoke(app, ["compare", "--items", "20"])

    assert ran.exit_code == 0
    assert [pair.title for pair in PAIRS if pair.title not in ran.output] == []


def test_one_pair_is_compared() -> None:
    ran = CliRunner().invoke(app, ["compare", "2", "--items", "20"])

    assert ran.exit_code == 0
    assert [pair.title for pair in PAIRS if pair.title in ran.output] == ["Numbers in sequence"]


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
