"""An environment without settings, and clients of both kinds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from pksk.client import Client

from .both_clients import KINDS, Open, open_client


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No keys, no region, no proxy, no files of the user and no instance metadata."""
    for name in (
        *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_CA_BUNDLE"),
        *("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """The client for threads, and the one for tasks."""
    chosen: str = request.param
    return chosen


@pytest.fixture
def client_of(kind: str) -> Iterator[Open]:
    """Opens clients of the kind."""
    with ExitStack() as stack:

        def open_one(**options: Any) -> Client:
            return stack.enter_context(closing(open_client(kind, **options)))

        yield open_one
