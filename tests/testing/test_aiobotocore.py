"""aiobotocore, over each kind of session that it has, imported before the block or in it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import aiobotocore.session
import pytest
from aiobotocore.awsrequest import HttpxAWSResponse
from aiobotocore.config import AioConfig
from aiobotocore.httpsession import AIOHTTPSession
from aiobotocore.httpxsession import HttpxSession
from botocore.exceptions import EndpointConnectionError

from pksk.engine import Engine
from pksk.testing import intercept

from .conftest import LOADER
from .orders import ORDERS, order


def _client(**options: Any) -> Any:
    session = aiobotocore.session.get_session()
    session.register_component("data_loader", LOADER)
    return session.create_client("dynamodb", **options)


def test_methods_of_aiobotocore_are_restored() -> None:
    before = vars(AIOHTTPSession)["send"], vars(HttpxSession)["send"]
    with intercept():
        assert (vars(AIOHTTPSession)["send"], vars(HttpxSession)["send"]) != before

    assert (vars(AIOHTTPSession)["send"], vars(HttpxSession)["send"]) == before


def test_a_client_created_before_the_block_is_intercepted(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {"aws_access_key_id": "a", "aws_secret_access_key": "b"}

    async def main() -> list[str]:
        config = AioConfig(retries={"total_max_attempts": 1})
        async with _client(
            region_name="us-east-1", endpoint_url="http://127.0.0.1:1", config=config, **keys
        ) as client:
            with intercept(endpoints="127.0.0.1:1") as engine:
                engine.call("CreateTable", ORDERS)
                names: list[str] = (await client.list_tables())["TableNames"]
            with pytest.raises(EndpointConnectionError):
                await client.list_tables()
        return names

    assert asyncio.run(main()) == ["orders"]


def test_code_that_polls_lets_other_tasks_run(pksk_intercept: Engine) -> None:
    pksk_intercept.call("CreateTable", ORDERS)

    async def poll(client: Any) -> None:
        while not (await client.scan(TableName="orders"))["Count"]:
            pass

    async def main() -> None:
        async with _client() as client:
            polling = asyncio.create_task(poll(client))
            await client.put_item(TableName="orders", Item=order("7", 1))
            await asyncio.wait_for(polling, 10)

    asyncio.run(main())


def test_requests_through_httpx_are_intercepted(pksk_intercept: Engine) -> None:
    # httpx need not be there: no request gets as far.
    class Request:
        url = "https://dynamodb.us-east-1.amazonaws.com/"
        headers = {"X-Amz-Target": b"DynamoDB_20120810.ListTables"}  # noqa: RUF012
        body = b"{}"

    async def main() -> tuple[HttpxAWSResponse, bytes]:
        response = await HttpxSession.send(HttpxSession.__new__(HttpxSession), Request())
        return response, await response.content

    response, content = asyncio.run(main())
    assert isinstance(response, HttpxAWSResponse)
    assert (response.status_code, content) == (200, b'{"TableNames":[]}')


LATE = """
import asyncio, sys
from pksk.testing import intercept

async def main():
    import aiobotocore.session
    async with aiobotocore.session.get_session().create_client("dynamodb") as client:
        print((await client.list_tables())["TableNames"])

with intercept():
    assert not any(name.startswith("aiobotocore") for name in sys.modules)
    asyncio.run(main())
"""


def test_aiobotocore_can_be_imported_inside_the_block_and_is_not_imported_by_it() -> None:
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr) == ("[]\n", "")
