"""Endpoints over TLS: certificates that are trusted, and those that are refused before anything is sent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pksk.client import NOT_SENT
from pksk.engine import Engine
from pksk.server import Server
from tests.clients.certificate import Certificate, make_certificate

from .opened import Open, refusal


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def server(certificate: Certificate) -> Iterator[Server]:
    with Engine.open() as engine, Server(engine, tls=certificate.context) as server:
        yield server


def test_a_certificate_that_is_trusted(
    server: Server, client_of: Open, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate.path))

    assert client_of(endpoint=server.url).call("ListTables", {}) == {"TableNames": []}


def test_a_certificate_that_is_not_trusted(server: Server, client_of: Open) -> None:
    error = refusal(client_of(endpoint=server.url))

    assert (error.code, error.status) == (NOT_SENT, 0)
    assert str(error.message).startswith(
        f"ListTables was not sent to {server.url}: its TLS certificate was refused: "
    )


def test_tls_with_a_server_that_has_none(client_of: Open) -> None:
    with Engine.open() as engine, Server(engine) as plain:
        error = refusal(client_of(endpoint=plain.url.replace("http:", "https:")))

    assert (error.code, error.status) == (NOT_SENT, 0)
    assert "SSL" in str(error.message)


def test_no_tls_with_a_server_that_has_it(server: Server, client_of: Open) -> None:
    error = refusal(client_of(endpoint=server.url.replace("https:", "http:"), read_timeout_seconds=1))

    assert error.code != NOT_SENT
