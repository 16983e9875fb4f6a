"""The sessions that tests of clients run over HTTP, here through the interception."""

from __future__ import annotations

import asyncio

import boto3

from pksk.engine import Engine
from pksk.testing import intercept
from tests.clients import aiobotocore_session, boto3_session, pynamodb_session


def test_a_session_of_boto3(pksk_boto3: boto3.Session) -> None:
    boto3_session.run(session=pksk_boto3)


def test_a_session_of_aiobotocore(pksk_intercept: Engine) -> None:
    asyncio.run(aiobotocore_session.run())


def test_a_model_of_pynamodb_can_be_used_in_several_blocks() -> None:
    # A model keeps its connection, and with it the client.
    order = pynamodb_session.order_model()

    for _ in range(2):
        with intercept():
            pynamodb_session.run(order)
