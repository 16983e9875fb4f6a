"""When the disk is full, writes fail, nothing is stored in part, and calls succeed once there is space."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.tree import ROOT, SOURCE

FILL = [sys.executable, "-W", "error", "-m", "tests.engine.disk_filler"]


def _ran(command: list[str]) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    return subprocess.run(command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True)


def test_a_file_that_cannot_grow_rejects_writes_until_it_can(tmp_path: Path) -> None:
    ran = _ran([*FILL, "limit", str(tmp_path)])

    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.stdout.endswith("; sound\n")


def test_a_full_disk_rejects_writes_until_there_is_room(tmp_path: Path) -> None:
    mounted = 'mount -t tmpfs -o size=4m none "$0" && exec "$@"'
    alone = ["unshare", "-rm", "sh", "-c"]
    if os.name != "posix" or _unable([*alone, mounted, str(tmp_path), "true"]):
        pytest.skip("no small disk can be mounted here")
    ran = _ran([*alone, mounted, str(tmp_path), *FILL, "disk", str(tmp_path)])

    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    assert "The disk is full" in ran.stdout
    assert ran.stdout.endswith("; sound\n")


def _unable(command: list[str]) -> bool:
    try:
        return _ran(command).returncode != 0
    except FileNotFoundError:
        return True
