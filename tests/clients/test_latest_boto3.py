"""The session of boto3 with the newest version; `.ci/run` installs it, and says in PKSK_BOTO3_PYTHON where."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from .serve_process import serving

PYTHON = os.environ.get("PKSK_BOTO3_PYTHON", "")
SESSION = Path(__file__).with_name("boto3_session.py")

pytestmark = pytest.mark.skipif(not PYTHON, reason="needs a Python with the newest boto3: .ci/run makes one")


def test_a_session_of_the_newest_boto3() -> None:
    with serving() as url:
        done = subprocess.run(
            [PYTHON, str(SESSION), url], capture_output=True, text=True, timeout=120, check=False
        )

    assert done.returncode == 0, done.stderr
    print(done.stdout)
