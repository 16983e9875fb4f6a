"""The hook for pre-commit: its entry is run as pre-commit runs it, with the arguments that a user adds."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.run_pksk import process_environment
from tests.project.tree import ROOT

DESIGN = """
from pksk import Entity, Key, Table

shop = Table("shop")


class User(Entity, table=shop):
    user_id: str
    primary = Key({key})
"""
GOOD, BAD = (DESIGN.format(key=key) for key in ('"USER#{user_id}", "META"', '"USER", "{user_id}"'))


def hook() -> dict[str, Any]:
    (found,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    return dict(found)


def run_hook(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """As pre-commit runs a hook of the language `system`, without names of files."""
    # The environment of the user is active: its programs are first on the path.
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        [*shlex.split(hook()["entry"]), *arguments],
        cwd=folder,
        env=process_environment({"PATH": programs, "PRE_COMMIT": "1"}),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("design", "code"), [(GOOD, 0), (BAD, 1)])
def test_the_hook_fails_if_the_design_has_findings(tmp_path: Path, design: str, code: int) -> None:
    (tmp_path / "design.py").write_text(design)
    done = run_hook(tmp_path, "design.py", "--fail-on", "warning")

    assert done.returncode == code, done.stderr
    assert ("constant-partition-key" in done.stdout) is bool(code)


def test_the_hook_gets_no_file_names_and_needs_no_environment_of_its_own() -> None:
    found = hook()

    assert found["id"] == "pksk-check"
    assert (found["pass_filenames"], found["language"], found["types"]) == (False, "system", ["python"])


def test_the_documentation_shows_a_configuration_with_this_hook() -> None:
    page = (ROOT / "docs" / "review.md").read_text("utf-8")
    block = page.split("```yaml file=.pre-commit-config.yaml\n")[1].split("```")[0]
    (repository,) = yaml.safe_load(block)["repos"]

    assert [each["id"] for each in repository["hooks"]] == [hook()["id"]]
    assert all(isinstance(each, str) for each in repository["hooks"][0]["args"])
