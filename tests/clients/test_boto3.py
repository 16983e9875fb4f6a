from __future__ import annotations

from .boto3_session import run


def test_a_session_of_boto3(endpoint: str) -> None:
    run(endpoint)
