"""Checks that need their own process: imports, and resources left at the end."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pksk.engine import Engine
from pksk.server import Server

from .faulty_server import faulty_server, hangs

LIBRARIES = ("aiobotocore", "aiohttp", "boto3", "botocore", "urllib3")
THREADS = """
from concurrent.futures import ThreadPoolExecutor
with AwsClient(AwsOptions(endpoint=url)) as client, ThreadPoolExecutor(8) as pool:
    for answer in pool.map(lambda _: client.call("ListTables", {}), range(40)):
        assert answer == {"TableNames": []}
    try:
        client.call("GetItem", {})
    except ServiceError as error:
        assert error.code == "ValidationException", error
with AwsClient(AwsOptions(endpoint=hanging, read_timeout_seconds=0.2)) as client:
    try:
        client.call("PutItem", {})
    except ServiceError as error:
        assert error.code == "NoAnswer", error
"""
TASKS = """
import asyncio
async def main():
    async with AsyncAwsClient(AwsOptions(endpoint=url)) as client:
        for answer in await asyncio.gather(*(client.call("ListTables", {}) for _ in range(40))):
            assert answer == {"TableNames": []}
        try:
            await client.call("GetItem", {})
        except ServiceError as error:
            assert error.code == "ValidationException", error
        cancelled = [asyncio.create_task(client.call("ListTables", {})) for _ in range(20)]
        await asyncio.sleep(0)
        for task in cancelled:
            task.cancel()
        await asyncio.gather(*cancelled, return_exceptions=True)
        assert await client.call("ListTables", {}) == {"TableNames": []}
    async with AsyncAwsClient(AwsOptions(endpoint=hanging, read_timeout_seconds=0.2)) as client:
        try:
            await client.call("PutItem", {})
        except ServiceError as error:
            assert error.code == "NoAnswer", error
        try:
            await asyncio.wait_for(client.call("PutItem", {}), 0.1)
        except TimeoutError:
            pass
asyncio.run(main())
"""


def _run(code: str, *options: str) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, *options, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout.strip(), done.stderr


def test_importing_loads_no_library() -> None:
    code = (
        "import sys, pksk.aws\n"
        "pksk.aws.AwsClient, pksk.aws.AsyncAwsClient, pksk.aws.AwsOptions(), pksk.aws.NOT_DYNAMODB\n"
        f"print(sorted(set({LIBRARIES!r}) & set(sys.modules)))"
    )

    assert _run(code) == ("[]", "")


def test_the_synchronous_client_does_not_import_the_asynchronous_library() -> None:
    code = (
        "import sys\nfrom pksk.aws import AwsClient, AwsOptions\n"
        "try:\n    AwsClient(AwsOptions(endpoint='http://127.0.0.1:9')).call('ListTables', {})\n"
        "except Exception as error:\n    print(error.code)\n"
        f"print(sorted(set({LIBRARIES!r}) & set(sys.modules)))"
    )

    assert _run(code) == ("RequestNotSent\n['botocore', 'urllib3']", "")


@pytest.mark.parametrize(
    ("client", "package", "extra"),
    [("AwsClient", "botocore", "aws"), ("AsyncAwsClient", "aiobotocore", "aws-async")],
)
def test_without_its_library_a_client_names_the_extra_to_install(
    client: str, package: str, extra: str
) -> None:
    code = (
        f"import sys\nsys.modules[{package!r}] = None\n"
        f"from pksk.aws import {client}\nfrom pksk.errors import PkskError\n"
        f"try:\n    {client}()\nexcept PkskError as error:\n    print(error)"
    )

    shown, problems = _run(code)

    assert problems == ""
    assert shown.startswith(f"{package} cannot be imported (")
    assert shown.endswith(f'Fix: pip install "pksk[{extra}]".  (pksk explain aws-missing)')


def test_a_client_that_waits_needs_no_aiobotocore() -> None:
    code = (
        "import sys\nsys.modules['aiobotocore'] = None\n"
        "from pksk import connect\n"
        "with connect('http://127.0.0.1:9') as db:\n    print(type(db.client).__name__)"
    )

    assert _run(code) == ("AwsClient", "")


@pytest.mark.parametrize("work", [THREADS, TASKS], ids=["threads", "tasks"])
def test_no_resources_are_left_at_the_end(work: str) -> None:
    imports = "from pksk.aws import *\nfrom pksk.client import ServiceError\n"
    with Engine.open() as engine, Server(engine) as server, faulty_server(hangs) as silent:
        addresses = f"url, hanging = {server.url!r}, {silent.url!r}\n"

        assert _run(imports + addresses + work, "-W", "error") == ("", "")
