"""The session of boto3 that the fixture gives."""

from __future__ import annotations

import boto3
import pytest

from pksk.engine import Engine
from pksk.testing.boto3_session import new_boto3_session

from .orders import ORDERS


def test_all_sessions_use_the_same_engine(pksk_boto3: boto3.Session, pksk_engine: Engine) -> None:
    pksk_boto3.client("dynamodb").create_table(**ORDERS)

    assert boto3.client("dynamodb").list_tables()["TableNames"] == ["orders"]
    assert pksk_engine.call("ListTables", {}) == {"TableNames": ["orders"]}


def test_sessions_share_only_their_models(pksk_boto3: boto3.Session) -> None:
    events: list[str] = []
    pksk_boto3.events.register("before-call.dynamodb.*", lambda **_: events.append("one"))
    other = new_boto3_session("eu-west-1")
    other.client("dynamodb").list_tables()
    paths = other._session.get_component("data_loader").search_paths

    assert events == []
    assert (pksk_boto3.region_name, other.region_name) == ("us-east-1", "eu-west-1")
    assert len(paths) == len(set(paths))
    pksk_boto3.client("dynamodb").list_tables()
    assert events == ["one"]


def test_the_session_of_the_fixture_ignores_an_endpoint_in_the_environment(
    pksk_boto3: boto3.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:1")

    assert pksk_boto3.client("dynamodb").list_tables()["TableNames"] == []


def test_the_session_has_the_methods_of_a_default_session(pksk_boto3: boto3.Session) -> None:
    ours, default = pksk_boto3.client("dynamodb"), boto3.client("dynamodb")

    assert ours.meta.method_to_api_mapping == default.meta.method_to_api_mapping
