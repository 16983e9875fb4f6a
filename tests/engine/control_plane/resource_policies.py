"""A table with a policy, for tests of resource policies."""

from __future__ import annotations

from typing import Any

from tests.engine.state.catalogues import ARN, Opened

__all__ = ["MISSING", "OTHER", "POLICY", "get", "opened", "put"]

POLICY = '{"Version": "2012-10-17", "Statement": []}'
OTHER = '{"Version": "2012-10-17", "Statement": [ ]}'
MISSING = ("PolicyNotFoundException", f"Resource-based policy not found for the provided ResourceArn: {ARN}")


def opened(**members: Any) -> Opened:
    made = Opened()
    made.create(**members)
    return made


def put(engine: Opened, policy: str = POLICY, arn: str = ARN, **members: str) -> str:
    answer = engine.call("PutResourcePolicy", {"ResourceArn": arn, "Policy": policy, **members})
    return str(answer["RevisionId"])


def get(engine: Opened, arn: str = ARN) -> dict[str, Any]:
    return engine.call("GetResourcePolicy", {"ResourceArn": arn})
