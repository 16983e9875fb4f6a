"""The command of the pantry: output, rejected arguments and exit codes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from examples.pantry.__main__ import app
from tests.project.tree import ROOT


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("pantry") / "pantry.db")
    loaded = CliRunner().invoke(app, ["--target", path, "load", "--items", "300"])
    assert loaded.exit_code == 0
    assert loaded.output.endswith(f"300 items in {path}\n")
    return path


def run(target: str, *words: str) -> Result:
    return CliRunner().invoke(app, ["--target", target, *words])


def output(target: str, *words: str) -> str:
    ran = run(target, *words)
    assert ran.exit_code == 0, ran.output
    return ran.output


def test_a_day_at_the_desk(target: str) -> None:
    number = output(target, "enrol", "Zoe", "Zhu", "1990-05-01", "--children", "2").split(":")[0].split()[1]
    assert number in output(target, "find", "Zoe", "Zhu")
    assert number in output(target, "find", "1990-05-01")
    given = output(target, "check-in", number, "food-1", "--at", "2022-12-30T10:00")
    assert given.startswith("Food for Zoe Zhu, the first time: service ")
    output(target, "check-in", number, "toys", "--voucher", "TOYS-7", "--at", "2022-12-30T10:05")
    assert "TOYS-7" in output(target, "vouchers")
    assert "TOYS-7 waits" in output(target, "history", number)
    assert (
        output(target, "fill", "TOYS-7", "--by", "eva")
        == f"Voucher TOYS-7 of client {number} is filled: Toys\n"
    )
    assert "TOYS-7" not in output(target, "vouchers")
    service = given.split()[-1]
    assert "2022-12-01T09:00" in output(target, "correct", number, service, "--to", "2022-12-01T09:00")
    assert "Emergency 1" in output(target, "correct", number, service, "--type", "food-3") + output(
        target, "report", "day", "2022-12-01", "--category", "Food_Pantry"
    )
    output(target, "strike-out", number, service)
    assert service not in output(target, "history", number)


@pytest.mark.parametrize("span", ["day", "month", "year"])
def test_a_report_prints_its_cost(target: str, span: str) -> None:
    for category in ([], ["--category", "Food_Pantry"]):
        cost = output(target, "report", span, "2022-12-15", *category).splitlines()[-1]
        assert re.fullmatch(r"[\d.]+ read units? \(svcYear-svcDTId-index [\d.]+\) in 1 request", cost)


def test_the_figures_are_printed_in_memory() -> None:
    layouts = output("memory:", "layouts", "--items", "200", "--day", "2022-03-01")
    assert "a year of food" in layouts
    assert "read units: exactly what was consumed." in layouts
    assert "at 60,000 services a year    0.0019" in layouts
    assert "1,074 / 906        2 / 1" in output("memory:", "names")


@pytest.mark.parametrize("words", [["layouts", "--items", "200"], ["names"]])
def test_a_command_that_runs_in_memory_rejects_another_target(tmp_path: Path, words: list[str]) -> None:
    ran = run(str(tmp_path / "a.db"), *words)

    assert ran.exit_code == 2
    assert ran.output.startswith("Usage: ")
    assert f"'{words[0]}' runs in memory" in ran.output
    assert CliRunner(env={"PKSK_TARGET": str(tmp_path / "a.db")}).invoke(app, words).exit_code == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["check-in", "99999", "food-1"],
        ["check-in", "1", "boats"],
        ["check-in", "1", "toys"],
        ["fill", "V0"],
        ["history", "nosuch"],
        ["fill", "V0", "--at", "1999-01-01T10:00"],
        ["find", "Nobody"],
        ["find", "one", "two", "three", "four", "five"],
        ["enrol", "Ana", "Lopez", "2999-01-01"],
        ["strike-out", "1", "nothing"],
    ],
)
def test_an_error_is_one_line_and_exit_code_1(target: str, words: list[str]) -> None:
    ran = run(target, *words)

    assert ran.exit_code == 1
    assert ran.output.startswith("Error: ")
    assert len(ran.output.splitlines()) == 1


def test_a_client_without_services_has_an_empty_history(target: str) -> None:
    number = output(target, "enrol", "New", "Here", "1990-05-01").split(":")[0].split()[1]

    assert len(output(target, "history", number).splitlines()) == 1


def test_the_usage_names_its_arguments(target: str) -> None:
    assert "{day|month|year} DAY" in output(target, "report", "--help")


@pytest.mark.parametrize(
    "words",
    [
        ["report"],
        ["report", "week", "2022-12-15"],
        ["report", "day", "December"],
        ["report", "day", "2022-12-15", "--category", "Toys"],
        ["history"],
        ["check-in", "1", "food-1", "--items", "0"],
        ["correct", "1", "s1"],
        ["correct", "1", "s1", "--to", "9999-12-31T23:59"],
        ["correct", "1", "s1", "--to", "0001-01-01T00:00"],
        ["check-in", "1", "food-1", "--at", "9999-12-31T23:59"],
        ["fill", "V0", "--at", "1899-12-31T23:59"],
        ["report", "year", "9999-01-01"],
        ["enrol", "Ana", "Lopez", "0199-01-01"],
        ["load", "--items", "7"],
        ["nonsense"],
    ],
)
def test_wrong_arguments_print_the_usage_and_exit_with_2(target: str, words: list[str]) -> None:
    ran = run(target, *words)

    assert ran.exit_code == 2
    assert ran.output.startswith("Usage: ")


@pytest.mark.parametrize("empty", ["", "  "])
@pytest.mark.parametrize(
    "words",
    [
        ["find", "?"],
        ["find", "Ana", "?"],
        ["enrol", "?", "Lopez", "1990-01-01"],
        ["enrol", "Ana", "?", "1990-01-01"],
        ["history", "?"],
        ["check-in", "?", "food-1"],
        ["check-in", "1", "?"],
        ["check-in", "1", "toys", "--voucher", "?"],
        ["check-in", "1", "food-1", "--voucher", "?"],
        ["check-in", "1", "food-1", "--by", "?"],
        ["fill", "?"],
        ["correct", "?", "s1", "--type", "card"],
        ["correct", "1", "?", "--type", "card"],
        ["correct", "1", "s1", "--type", "?"],
        ["strike-out", "?", "s1"],
        ["strike-out", "1", "?"],
    ],
)
def test_an_empty_argument_is_a_usage_error_and_not_a_key_error(
    target: str, words: list[str], empty: str
) -> None:
    ran = run(target, *(empty if word == "?" else word for word in words))

    assert ran.exit_code == 2
    assert ran.output.startswith("Usage: ")
    assert "it is empty. Fix: write at least one letter or digit." in ran.output
    assert "pksk explain" not in ran.output


def test_a_voucher_cannot_be_filled_before_it_was_issued(target: str) -> None:
    output(target, "check-in", "1", "toys", "--voucher", "TOYS-99", "--at", "2099-12-01T10:05")

    ran = run(target, "fill", "TOYS-99", "--at", "1999-01-01T10:00")

    assert ran.exit_code == 1
    assert "cannot be filled before that, on 1999-01-01T10:00" in ran.output
    assert "TOYS-99" in output(target, "vouchers")


def test_the_module_reports_an_unreachable_endpoint_without_a_traceback(
    tmp_path: Path,
) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "examples.pantry", "--target", "http://127.0.0.1:1", "vouchers"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.returncode, ran.stdout) == (2, "")
    assert "http://127.0.0.1:1: the connection was refused" in ran.stderr
    assert "Traceback" not in ran.stderr
