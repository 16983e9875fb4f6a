"""The web application, in memory and on an endpoint."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from examples.web import app as module
from examples.web.app import create_app
from pksk import Retry, ServiceError, connect_async
from pksk.server import Server


class Client:
    """Asks an application on a loop of its own."""

    def __init__(self, app: FastAPI, runner: asyncio.Runner) -> None:
        self.app, self._runner = app, runner

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        async def send() -> httpx.Response:
            async with httpx.AsyncClient(
                transport=httpx.ASGITransport(self.app), base_url="http://tasks"
            ) as client:
                return await client.request(method, path, **options)

        return self._runner.run(send())

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.ask("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self.ask("POST", path, **options)

    def patch(self, path: str, **options: Any) -> httpx.Response:
        return self.ask("PATCH", path, **options)

    def delete(self, path: str, **options: Any) -> httpx.Response:
        return self.ask("DELETE", path, **options)


@contextmanager
def serving(app: FastAPI) -> Iterator[Client]:
    """The application from its start to its end, as a server would run it."""
    with asyncio.Runner() as runner:
        lifespan = app.router.lifespan_context(app)
        runner.run(lifespan.__aenter__())
        try:
            yield Client(app, runner)
        finally:
            runner.run(lifespan.__aexit__(None, None, None))


@pytest.fixture(params=["memory", "endpoint"])
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    if request.param == "memory":
        target = "memory:"
    else:
        server: Server = request.getfixturevalue("pksk_server")
        target = server.url
    with serving(create_app(target)) as client:
        client.post("/projects", json={"slug": "garden", "name": "The garden"}).raise_for_status()
        yield client


def create(client: Client, title: str) -> dict[str, Any]:
    answer = client.post("/projects/garden/tasks", json={"title": title})
    assert answer.status_code == 201
    made: dict[str, Any] = answer.json()
    return made


def test_a_task_is_created_with_its_stamps_and_can_be_shown(client: Client) -> None:
    made = create(client, "dig")

    assert (made["version"], made["state"]) == (1, "open")
    assert made["created"] == made["updated"]
    assert client.get(f"/projects/garden/tasks/{made['id']}").json() == made


def test_an_existing_project_is_a_conflict(client: Client) -> None:
    answer = client.post("/projects", json={"slug": "garden", "name": "Another"})

    assert (answer.status_code, answer.json()["code"]) == (409, "store-already-exists")


def test_a_task_of_a_missing_project_is_not_found(client: Client) -> None:
    answer = client.post("/projects/nowhere/tasks", json={"title": "dig"})

    assert (answer.status_code, answer.json()["code"]) == (404, "store-reference-missing")


def test_a_list_is_read_page_by_page_with_the_latest_first(client: Client) -> None:
    made = sorted((create(client, f"task {n}")["id"] for n in range(5)), reverse=True)

    found, cursor, pages = [], None, 0
    while pages == 0 or cursor:
        answer = client.get(
            "/projects/garden/tasks", params={"size": 2} | ({"after": cursor} if cursor else {})
        )
        found += [task["id"] for task in answer.json()["tasks"]]
        cursor, pages = answer.json()["next"], pages + 1

    assert found == made
    assert pages == 3


def test_a_cursor_of_another_list_is_rejected(client: Client) -> None:
    for n in range(3):
        create(client, f"task {n}")
    cursor = client.get("/projects/garden/tasks", params={"size": 1}).json()["next"]

    answer = client.get("/projects/garden/tasks", params={"state": "done", "after": cursor})

    assert (answer.status_code, answer.json()["code"]) == (400, "store-cursor")


def test_changing_the_current_version_moves_the_task_to_another_list(client: Client) -> None:
    made = create(client, "dig")

    answer = client.patch(
        f"/projects/garden/tasks/{made['id']}", json={"state": "done"}, headers={"If-Match": "1"}
    )

    assert (answer.status_code, answer.json()["version"]) == (200, 2)
    assert client.get("/projects/garden/tasks").json()["tasks"] == []
    assert client.get("/projects/garden/tasks", params={"state": "done"}).json()["tasks"] == [answer.json()]


def test_changing_an_outdated_version_fails(client: Client) -> None:
    made = create(client, "dig")
    address = f"/projects/garden/tasks/{made['id']}"
    client.patch(address, json={"title": "dig deeper"}, headers={"If-Match": "1"}).raise_for_status()

    answer = client.patch(address, json={"title": "do not dig"}, headers={"If-Match": "1"})

    assert (answer.status_code, answer.json()["code"]) == (412, "store-stale-version")
    assert client.get(address).json()["title"] == "dig deeper"


def test_a_missing_task_is_not_found(client: Client) -> None:
    address = "/projects/garden/tasks/01ARZ3NDEKTSV4RRFFQ69G5FAV"

    assert client.get(address).status_code == 404
    assert client.patch(address, json={"title": "x"}, headers={"If-Match": "1"}).status_code == 404
    assert client.delete(address).status_code == 404


def test_a_name_that_no_key_can_hold_is_rejected(client: Client) -> None:
    answer = client.post("/projects", json={"slug": "x" * 3000, "name": "Too long"})

    assert (answer.status_code, answer.json()["code"]) == (422, "key-too-long")


def test_an_empty_change_is_rejected(client: Client) -> None:
    made = create(client, "dig")

    answer = client.patch(f"/projects/garden/tasks/{made['id']}", json={}, headers={"If-Match": "1"})

    assert (answer.status_code, answer.json()["code"]) == (422, "write-no-change")
    assert client.get(f"/projects/garden/tasks/{made['id']}").json() == made


def test_a_task_is_deleted_once(client: Client) -> None:
    address = f"/projects/garden/tasks/{create(client, 'dig')['id']}"

    assert [client.delete(address).status_code for _ in range(2)] == [204, 404]


class Unreachable:
    """A DynamoDB to which no connection can be made."""

    async def call(self, _operation: str, _request: Mapping[str, Any]) -> dict[str, Any]:
        raise ServiceError("RequestNotSent", "the connection was refused", 0)


def test_an_error_of_the_store_is_not_a_client_error(client: Client) -> None:
    client.app.state.store = connect_async(Unreachable(), retry=Retry(attempts=1))

    answer = client.get("/projects/garden/tasks")

    assert (answer.status_code, answer.json()["detail"]) == (503, "try again later")


def test_the_environment_selects_the_dynamodb_target(
    pksk_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TASKS_TARGET", pksk_server.url)
    with serving(importlib.reload(module).app) as client:
        client.post("/projects", json={"slug": "garden", "name": "x"}).raise_for_status()

    with serving(create_app(pksk_server.url)) as client:
        assert client.post("/projects", json={"slug": "garden", "name": "x"}).status_code == 409
