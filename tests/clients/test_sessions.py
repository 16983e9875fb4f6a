"""A session of every Python client over HTTP: without signatures, signed, over TLS, and with the newest boto3."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from . import aiobotocore_session, boto3_session, pynamodb_session
from .certificate import Certificate
from .serve_process import serving

# `.ci/run` installs the newest boto3, and names its Python here.
PYTHON = os.environ.get("PKSK_BOTO3_PYTHON", "")


@pytest.mark.parametrize("server", ["endpoint", "file_endpoint", "signed_endpoint"])
def test_a_session_of_boto3(server: str, request: pytest.FixtureRequest) -> None:
    boto3_session.run(request.getfixturevalue(server))


def test_a_session_of_boto3_with_tls(secure_endpoint: str, certificate: Certificate) -> None:
    boto3_session.run(secure_endpoint, verify=str(certificate.path))


@pytest.mark.skipif(not PYTHON, reason="needs a Python with the newest boto3: .ci/run makes one")
def test_a_session_of_the_newest_boto3() -> None:
    script = Path(boto3_session.__file__)
    with serving() as url:
        done = subprocess.run(
            [PYTHON, str(script), url], capture_output=True, text=True, timeout=120, check=False
        )

    assert done.returncode == 0, done.stderr
    print(done.stdout)


def test_a_session_of_aiobotocore(endpoint: str) -> None:
    asyncio.run(aiobotocore_session.run(endpoint))


def test_a_session_of_pynamodb(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # PynamoDB waits two seconds between two looks at a table.
    monkeypatch.setattr("pynamodb.models.time.sleep", lambda _: None)

    pynamodb_session.run(pynamodb_session.order_model(endpoint))
