"""The packages of the model import each other in one direction only."""

from __future__ import annotations

from pathlib import Path

from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

CONTRACT = Path(__file__).with_name("model_layers.ini")


def test_each_package_of_the_model_imports_only_those_below_it() -> None:
    assert lint_imports(config_filename=str(CONTRACT), no_cache=True) == EXIT_STATUS_SUCCESS
