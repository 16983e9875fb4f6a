from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from pksk.engine import Delays, Engine
from pksk.server import Server
from pksk.server.credentials import AccessKey
from pksk.server.signature import Verifier

from .certificate import Certificate, make_certificate

KEY = AccessKey("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
# Long enough that a client sees the table in the state CREATING and has to wait.
DELAYS = Delays(create_table=0.1, delete_table=0.1)


@pytest.fixture(autouse=True)
def client_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The environment that clients read: the key that a server may check, and no files of the user."""
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY.key_id)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEY.secret)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def endpoint() -> Iterator[str]:
    """The URL of a server that accepts any credentials."""
    with Engine.open(delays=DELAYS) as engine, Server(engine) as server:
        yield server.url


@pytest.fixture
def file_endpoint(tmp_path: Path) -> Iterator[str]:
    """The URL of a server whose tables are in a file."""
    with Engine.open(tmp_path / "tables.db", delays=DELAYS) as engine, Server(engine) as server:
        yield server.url


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def signed_endpoint() -> Iterator[str]:
    """The URL of a server that only accepts requests signed with one key."""
    with Engine.open() as engine, Server(engine, verify=Verifier({KEY.key_id: KEY})) as server:
        yield server.url


@pytest.fixture
def secure_endpoint(certificate: Certificate) -> Iterator[str]:
    """The same over TLS."""
    verifier = Verifier({KEY.key_id: KEY})
    with Engine.open() as engine, Server(engine, verify=verifier, tls=certificate.context) as server:
        yield server.url
