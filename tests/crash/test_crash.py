"""A few kills in every run of the tests; many with `make long`, and in .ci/run by `python -m tests.crash`."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import settings

from tests.conftest import LONG
from tests.project.tree import ROOT, SOURCE

# Of each kind; a thousand in all with `make long`, and fewer in a slice of it.
ROUNDS = os.environ.get("PKSK_CRASH_ROUNDS") or (str(settings().max_examples // 10) if LONG else "3")


@pytest.mark.parametrize("http", ["never", "always"])
def test_acknowledged_writes_of_a_killed_process_are_stored_and_consistent(http: str) -> None:
    # In a process of its own: it forks, which one with threads must not.
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.crash", "--rounds", ROUNDS, "--http", http],
        check=False,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
    )

    assert (ran.returncode, ran.stderr) == (0, "")
    assert f"{ROUNDS} kills" in ran.stdout
