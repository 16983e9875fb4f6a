"""The packages of the model import each other in one direction only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.project.tree import ROOT

CONTRACT = Path(__file__).with_name("model_layers.ini")


def test_each_package_of_the_model_imports_only_those_below_it() -> None:
    # In a process of its own, since import-linter changes the settings of logging.
    check = f"lint_imports(config_filename={str(CONTRACT)!r}, no_cache=True)"
    code = f"from importlinter.cli import lint_imports\nraise SystemExit({check})"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
