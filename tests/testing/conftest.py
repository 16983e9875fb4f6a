"""What tests of this folder share: an environment without AWS, and botocore's classes restored after each test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import boto3
import botocore.session
import pytest
from botocore.auth import SigV4Auth
from botocore.endpoint import Endpoint
from botocore.httpsession import URLLib3Session

import pksk
from pksk.testing.environment import ACCESS_KEY

ATTRIBUTES = ((URLLib3Session, "send"), (Endpoint, "__init__"), (SigV4Auth, "add_auth"))
# Reads the models of botocore once for all tests.
LOADER = botocore.session.Session().get_component("data_loader")


@pytest.fixture(autouse=True)
def no_aws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No credentials, no region, no files of the user's."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    session = botocore.session.Session()
    session.register_component("data_loader", LOADER)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", boto3.Session(botocore_session=session))


@pytest.fixture(autouse=True)
def _nothing_is_left_behind(no_aws: None) -> Iterator[None]:
    methods = [vars(owner)[name] for owner, name in ATTRIBUTES]
    yield
    assert [vars(owner)[name] for owner, name in ATTRIBUTES] == methods
    assert [name for name, value in os.environ.items() if value == ACCESS_KEY] == []


@pytest.fixture(scope="session")
def all_imported() -> None:
    """A run of pytest in this process drops the modules it imported, so all of pksk is imported before."""
    for module in walk_packages(pksk.__path__, "pksk."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
