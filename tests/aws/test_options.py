"""Invalid options raise with their name and value, and without a secret."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.aws import AwsOptions
from pksk.errors import PkskError


@pytest.mark.parametrize(
    ("options", "problem", "fix"),
    [
        (
            {"endpoint": "localhost:8000"},
            "endpoint is 'localhost:8000'",
            "write endpoint='http://localhost:8000'.",
        ),
        ({"endpoint": "ftp://host"}, "endpoint is 'ftp://host'", "write endpoint='http://host'."),
        ({"endpoint": "http://"}, "endpoint is 'http://'", "write endpoint='http://localhost:8000'."),
        (
            {"endpoint": "http://h:99999"},
            "endpoint is 'http://h:99999'",
            "write endpoint='http://localhost:8000'.",
        ),
        ({"endpoint": "http://a b"}, "endpoint is 'http://a b'", "write endpoint='http://localhost:8000'."),
        ({"endpoint": "http://[::1"}, "endpoint is 'http://[::1'", "write endpoint='http://localhost:8000'."),
        (
            {"endpoint": "http://h/?x=1"},
            "endpoint is 'http://h/?x=1'",
            "write endpoint='http://localhost:8000'.",
        ),
        ({"endpoint": ""}, "endpoint is ''", "write a text, or leave it out."),
        ({"endpoint": 8000}, "endpoint is 8000", "write a text, or leave it out."),
        ({"region": "eu west"}, "region is 'eu west'", "write region='eu-west-1'."),
        ({"region": "EU-WEST-1"}, "region is 'EU-WEST-1'", "write region='eu-west-1'."),
        ({"profile": ""}, "profile is ''", "write a text, or leave it out."),
        (
            {"access_key": "AKID"},
            "access_key needs secret_key",
            "set secret_key too, or leave both out.",
        ),
        (
            {"secret_key": "s"},
            "secret_key needs access_key",
            "set access_key too, or leave both out.",
        ),
        ({"session_token": "t"}, "session_token needs its access_key", "set access_key and secret_key too"),
        (
            {"connect_timeout_seconds": 0},
            "connect_timeout_seconds is 0",
            "write for example 5 or 0.5.",
        ),
        (
            {"read_timeout_seconds": True},
            "read_timeout_seconds is True",
            "write for example 5 or 0.5.",
        ),
        ({"read_timeout_seconds": "5"}, "read_timeout_seconds is '5'", "write for example 5 or 0.5."),
        (
            {"read_timeout_seconds": float("inf")},
            "read_timeout_seconds is inf",
            "write for example 5",
        ),
        ({"pool": 0}, "pool is 0", "write a whole number, at least 1."),
        ({"pool": 1.5}, "pool is 1.5", "write a whole number, at least 1."),
    ],
)
def test_an_invalid_option_raises(options: dict[str, Any], problem: str, fix: str) -> None:
    with pytest.raises(PkskError) as raised:
        AwsOptions(**options)

    assert raised.value.code == "aws-option"
    assert raised.value.problem.startswith(f"AwsOptions: {problem}")
    assert raised.value.fix.startswith(fix)


@pytest.mark.parametrize("name", ["access_key", "secret_key", "session_token"])
def test_an_invalid_key_is_not_printed(name: str) -> None:
    with pytest.raises(PkskError) as raised:
        AwsOptions(**{name: b"hidden"})  # type: ignore[arg-type]

    assert "hidden" not in str(raised.value)


def test_the_repr_of_options_has_no_secret() -> None:
    shown = repr(AwsOptions(access_key="AKID", secret_key="hidden", session_token="hidden too"))

    assert "AKID" in shown
    assert "hidden" not in shown


@pytest.mark.parametrize(
    ("endpoint", "is_local", "is_plain"),
    [
        (None, False, False),
        ("http://localhost:8000", True, True),
        ("https://tables.localhost", True, False),
        ("http://127.9.9.9", True, True),
        ("http://[::1]:8000", True, True),
        ("http://10.0.0.1:8000", False, True),
        ("https://dynamodb.eu-west-1.amazonaws.com", False, False),
    ],
)
def test_the_endpoint_decides_where_requests_go(endpoint: str | None, is_local: bool, is_plain: bool) -> None:
    options = AwsOptions(endpoint=endpoint)

    assert (options.is_local, options.is_plain) == (is_local, is_plain)
