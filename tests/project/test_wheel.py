"""The wheel has the files that users need besides the code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

import pksk
from tests.project.tree import PACKAGE, ROOT, SOURCE


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return ZipFile(next(folder.glob("*.whl")))


def test_the_wheel_has_every_file_of_the_package(wheel: ZipFile) -> None:
    kept = {path.relative_to(SOURCE).as_posix() for path in PACKAGE.rglob("*") if _is_ours(path)}

    assert sorted(kept - set(wheel.namelist())) == []


@pytest.mark.wider  # compiles every module of the wheel
def test_the_wheel_has_the_five_systems_and_runs_them(wheel: ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    command = [sys.executable, "-m", "pksk", "demo", "lessons", "--items", "100", "--json"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}

    ran = subprocess.run(command, cwd=tmp_path, env=environment, check=False, capture_output=True, text=True)

    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "pksk" / "examples" / "lessons" / "system.py").exists()
    assert json.loads(ran.stdout)[0]["system"] == "lessons"


def test_the_wheel_is_marked_as_typed(wheel: ZipFile) -> None:
    assert "pksk/py.typed" in wheel.namelist()


def test_the_wheel_has_the_explanations(wheel: ZipFile) -> None:
    assert [
        name for name in wheel.namelist() if name.startswith("pksk/explanations/") and name.endswith(".md")
    ]


def test_the_wheel_has_the_version_of_the_package_and_its_licence(wheel: ZipFile) -> None:
    metadata = wheel.read(f"pksk-{pksk.__version__}.dist-info/METADATA").decode()

    assert "License-Expression: Apache-2.0" in metadata


def test_the_extra_for_aws_is_botocore_alone_and_another_adds_aiobotocore() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    names = {extra: {re.split(r"[<>=;\[]", each)[0] for each in needed} for extra, needed in extras.items()}

    assert names["aws"] == {"botocore"}
    assert names["aws-async"] == {"aiobotocore", "botocore"}
    assert set(extras["all"][0].removeprefix("pksk[").removesuffix("]").split(",")) == set(extras) - {"all"}


def _is_ours(path: Path) -> bool:
    return path.is_file() and path.suffix != ".pyc"
