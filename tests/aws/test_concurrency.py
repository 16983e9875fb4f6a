"""Many threads or tasks share one client; a cancelled task leaves nothing behind."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, Event
from typing import Any

import pytest

from pksk.aws import AsyncAwsClient, AwsClient, AwsOptions
from pksk.client import NO_ANSWER, NOT_CONFIGURED, AsyncClient, Client, ServiceError
from pksk.engine import Engine
from pksk.server import Server
from tests.engine.state.catalogues import table

from .faulty_server import FaultyServer, faulty_server, hangs, replies

MANY = 50
ANSWER = replies("200 OK", b'{"TableNames":[]}')


def _counted(client: AwsClient | AsyncAwsClient) -> list[str]:
    """The services for which clients are made from now on."""
    made: list[str] = []

    class Session(client._session_class):  # type: ignore[name-defined,misc]  # botocore's has no types
        def create_client(self, service: str, **options: Any) -> Any:
            made.append(service)
            return super().create_client(service, **options)

    client._session_class = Session
    return made


def test_fifty_threads_share_one_client() -> None:
    with (
        Engine.open() as engine,
        Server(engine) as server,
        AwsClient(AwsOptions(endpoint=server.url)) as client,
    ):
        engine.call("CreateTable", table())
        made = _counted(client)
        ready = Barrier(MANY)

        def work(number: int) -> Any:
            ready.wait()
            key = {"pk": {"S": str(number)}}
            client.call("PutItem", {"TableName": "orders", "Item": {**key, "n": {"N": str(number)}}})
            client.call("ListStreams", {})
            return client.call("GetItem", {"TableName": "orders", "Key": key})["Item"]["n"]["N"]

        with ThreadPoolExecutor(MANY) as pool:
            numbers = list(pool.map(work, range(MANY)))

        assert numbers == [str(number) for number in range(MANY)]
        assert sorted(made) == ["dynamodb", "dynamodbstreams"]


def test_fifty_tasks_share_one_client() -> None:
    async def work(client: AsyncAwsClient, number: int) -> Any:
        key = {"pk": {"S": str(number)}}
        await client.call("PutItem", {"TableName": "orders", "Item": {**key, "n": {"N": str(number)}}})
        await client.call("ListStreams", {})
        return (await client.call("GetItem", {"TableName": "orders", "Key": key}))["Item"]["n"]["N"]

    async def all_of_them(url: str) -> tuple[list[str], list[str]]:
        async with AsyncAwsClient(AwsOptions(endpoint=url)) as client:
            made = _counted(client)
            return await asyncio.gather(*(work(client, number) for number in range(MANY))), made

    with Engine.open() as engine, Server(engine) as server:
        engine.call("CreateTable", table())
        numbers, made = asyncio.run(all_of_them(server.url))

    assert numbers == [str(number) for number in range(MANY)]
    assert sorted(made) == ["dynamodb", "dynamodbstreams"]


def test_more_calls_than_connections_wait_for_a_connection() -> None:
    async def all_of_them(url: str) -> int:
        async with AsyncAwsClient(AwsOptions(endpoint=url, pool=2)) as client:
            return len(await asyncio.gather(*(client.call("ListTables", {}) for _ in range(MANY))))

    with Engine.open() as engine, Server(engine) as server:
        assert asyncio.run(all_of_them(server.url)) == MANY
        with AwsClient(AwsOptions(endpoint=server.url, pool=2)) as client, ThreadPoolExecutor(MANY) as pool:
            answers = list(pool.map(lambda _: client.call("ListTables", {}), range(MANY)))

    assert answers == [{"TableNames": []}] * MANY


def _first_hangs(left: Event) -> Callable[[FaultyServer, socket.socket], None]:
    """Answers all but the first connection, and notes when that one is closed."""
    met: list[socket.socket] = []

    def serve(server: FaultyServer, connection: socket.socket) -> None:
        met.append(connection)
        if len(met) > 1:
            return ANSWER(server, connection)
        server.read(connection)
        if connection.recv(1) == b"":
            left.set()

    return serve


def test_a_cancelled_call_closes_its_connection_and_the_next_call_works() -> None:
    left = Event()

    async def cancelled(server: FaultyServer) -> dict[str, Any]:
        async with AsyncAwsClient(AwsOptions(endpoint=server.url)) as client:
            task = asyncio.create_task(client.call("PutItem", {"TableName": "orders"}))
            while not server.requests:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(left.wait, 10)
            return await client.call("ListTables", {})

    with faulty_server(_first_hangs(left)) as server:
        assert asyncio.run(cancelled(server)) == {"TableNames": []}
    gc.collect()


@pytest.mark.parametrize("turns", range(12))
def test_a_call_can_be_cancelled_at_any_moment(turns: int) -> None:
    async def cancelled(url: str) -> dict[str, Any]:
        async with AsyncAwsClient(AwsOptions(endpoint=url)) as client:
            tasks = [asyncio.create_task(client.call("ListTables", {})) for _ in range(3)]
            for _ in range(turns):
                await asyncio.sleep(0)
            tasks[0].cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
            assert isinstance(ended[0], asyncio.CancelledError)
            assert ended[1:] == [{"TableNames": []}] * 2
            return await client.call("ListTables", {})

    with faulty_server(ANSWER) as server:
        assert asyncio.run(cancelled(server.url)) == {"TableNames": []}
    gc.collect()


def test_many_calls_can_be_cancelled_at_many_moments() -> None:
    async def cancelled(client: AsyncAwsClient, number: int) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(client.call("ListTables", {}), number * 0.001)

    async def all_of_them(url: str) -> dict[str, Any]:
        async with AsyncAwsClient(AwsOptions(endpoint=url, pool=8)) as client:
            await client.call("ListTables", {})
            await asyncio.gather(*(cancelled(client, number) for number in range(MANY)))
            return await client.call("ListTables", {})

    with faulty_server(ANSWER) as server:
        assert asyncio.run(all_of_them(server.url)) == {"TableNames": []}
    gc.collect()


def _error_of(awaited: Callable[[], Awaitable[Any]]) -> ServiceError:
    async def wait() -> None:
        await awaited()

    with pytest.raises(ServiceError) as raised:
        asyncio.run(wait())
    return raised.value


def test_a_timeout_around_a_call_is_a_cancellation() -> None:
    async def impatient(url: str) -> None:
        async with AsyncAwsClient(AwsOptions(endpoint=url)) as client:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.call("ListTables", {}), 0.2)

    with faulty_server(hangs) as server:
        asyncio.run(impatient(server.url))
    gc.collect()


def test_a_client_of_another_loop_raises() -> None:
    with faulty_server(ANSWER) as server:
        client = AsyncAwsClient(AwsOptions(endpoint=server.url))

        async def use_and_close() -> None:
            await client.call("ListTables", {})
            error = await asyncio.to_thread(_error_of, lambda: client.call("ListTables", {}))
            assert (error.code, error.status) == (NOT_CONFIGURED, 0)
            assert str(error.message).endswith(
                "the client belongs to another event loop. Fix: make one in each asyncio.run."
            )
            await client.close()

        asyncio.run(use_and_close())


def test_a_closed_client_sends_nothing() -> None:
    async def closed(url: str) -> None:
        client = AsyncAwsClient(AwsOptions(endpoint=url))
        await client.call("ListTables", {})
        await client.close()
        await client.close()
        await client.call("ListTables", {})

    with faulty_server(ANSWER) as server:
        errors = [_error_of(lambda: closed(server.url))]
        client = AwsClient(AwsOptions(endpoint=server.url))
        client.call("ListTables", {})
        client.close()
        client.close()
        with pytest.raises(ServiceError) as raised:
            client.call("ListTables", {})
        errors.append(raised.value)

        assert len(server.requests) == 2
    for error in errors:
        assert (error.code, error.status) == (NOT_CONFIGURED, 0)
        assert error.message == (
            f"ListTables was not sent to {server.url}: the client is closed. Fix: make another one, or close it later."
        )


def test_closing_ends_running_calls() -> None:
    async def closed(server: FaultyServer) -> None:
        async with AsyncAwsClient(AwsOptions(endpoint=server.url)) as client:
            task = asyncio.create_task(client.call("PutItem", {"TableName": "orders"}))
            while not server.requests:
                await asyncio.sleep(0.01)
        await task

    with faulty_server(hangs) as server:
        error = _error_of(lambda: closed(server))

    assert (error.code, error.status) == (NO_ANSWER, 0)


def test_an_unused_client_can_be_closed() -> None:
    options = AwsOptions(region="eu-west-1")
    one, other = AwsClient(options), AsyncAwsClient(options)
    _: tuple[Client, AsyncClient] = (one, other)  # mypy sees that they are what they should be

    one.close()
    asyncio.run(other.close())
