"""Output of a tour: no line is wider than the terminal, one screen per system, and JSON has numbers for figures."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import sys
import termios

import pytest

from examples.tour.printing import Document
from tests.cli.run_pksk import terminal_output

# Python 3.12 and later warn of a fork where threads run; the child is replaced at once.
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")


def on_terminal(columns: int, *args: str) -> list[str]:
    """The lines that a command shows on a terminal that is so wide, without their colours."""
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = {
            name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")
        }
        os.execve(
            sys.executable, [sys.executable, "-m", "pksk", *args], environment | {"TERM": "xterm-256color"}
        )
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal_output(child, terminal))
    # What a bar of progress drew is drawn over.
    return [line.rpartition("\r")[2] for line in plain.split("\n")]


@pytest.mark.parametrize(
    ("options", "last"), [([], "Next:"), pytest.param(["--all"], "In short", marks=pytest.mark.wider)]
)
def test_no_line_is_wider_than_the_terminal(options: list[str], last: str) -> None:
    lines = on_terminal(60, "demo", "records", "--items", "100", *options)

    assert [line for line in lines if len(line) > 60] == []
    assert last in lines


@pytest.mark.wider
def test_the_screens_of_all_five_systems_have_at_most_200_lines_of_100_columns() -> None:
    lines = on_terminal(100, "demo")

    assert len(lines) <= 200
    assert [line for line in lines if len(line) > 100] == []
    assert [line for line in lines if "WRONG" in line] == []
    assert len([line for line in lines if line.startswith("Checked: all ")]) == 5


def test_figures_are_numbers_in_json_and_words_are_text(capsys: pytest.CaptureFixture[str]) -> None:
    document = Document()
    document.table(
        ["name", "items", "units", "share", "skew"], [["1850", "1,234", "3,015.5", "25%", "-"]], (1, 2, 3, 4)
    )
    document.show()

    (part,) = json.loads(capsys.readouterr().out)
    assert part["table"] == [{"name": "1850", "items": 1234, "units": 3015.5, "share": "25%", "skew": "-"}]
