"""Imports go in one direction: the packages of the model, and the contracts of commands name each of them."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from keyword import iskeyword
from pathlib import Path

from pksk.cli.app import COMMANDS
from tests.project.tree import ROOT

CONTRACT = Path(__file__).with_name("model_layers.ini")


def test_each_package_of_the_model_imports_only_those_below_it() -> None:
    # In a process of its own, since import-linter changes the settings of logging.
    check = f"lint_imports(config_filename={str(CONTRACT)!r}, no_cache=True)"
    code = f"from importlinter.cli import lint_imports\nraise SystemExit({check})"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_contract_of_commands_names_every_command() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = {each["name"]: each for each in settings["tool"]["importlinter"]["contracts"]}
    names = [command.replace("-", "_") for command in COMMANDS]

    named = contracts["Commands import helpers, and not each other"]["modules"]
    assert sorted(named) == sorted(f"pksk.cli.{name}{'_' * iskeyword(name)}" for name in names)
