"""A session of the AWS SDK for JavaScript; `.ci/run` installs it in the folder PKSK_JAVASCRIPT."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .certificate import Certificate
from .conftest import KEY
from .serve_process import serving

FOLDER = os.environ.get("PKSK_JAVASCRIPT", "")
HERE = Path(__file__).with_name("javascript")


@pytest.fixture(params=["open", "signed", "signed, TLS"])
def environment(
    request: pytest.FixtureRequest, certificate: Certificate, tmp_path: Path
) -> Iterator[dict[str, str]]:
    """The environment variables of the session, with a running server."""
    environ = {"PKSK_ACCESS_KEY_ID": KEY.key_id, "PKSK_SECRET_ACCESS_KEY": KEY.secret}
    secure = ["--cert", str(certificate.path), "--key", str(certificate.key_path)]
    signed = request.param != "open"
    options = secure if request.param == "signed, TLS" else []
    with serving(*options, environ=environ if signed else None) as url:
        yield {
            "PKSK_ENDPOINT": url,
            "PKSK_CHECKS_SIGNATURES": "1" if signed else "",
            "NODE_EXTRA_CA_CERTS": str(certificate.path),
        }


@pytest.mark.skipif(not FOLDER, reason="needs the SDK from npm: .ci/run installs it")
def test_a_session_of_the_sdk_for_javascript(environment: dict[str, str]) -> None:
    done = subprocess.run(
        ["node", "--test", "session.test.mjs"],
        cwd=FOLDER,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_lock_names_no_registry() -> None:
    text = (HERE / "package-lock.json").read_text("utf-8")

    assert '"resolved"' not in text
    assert "registry" not in text
