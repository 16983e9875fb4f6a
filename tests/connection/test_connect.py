"""connect: the meaning of each target, and the errors of invalid ones."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pksk import (
    AsyncStore,
    Clock,
    Engine,
    Entity,
    InvalidCursor,
    Key,
    PkskError,
    Retry,
    ServiceUnreachable,
    Store,
    Table,
    connect,
    connect_async,
)
from pksk.aws import AsyncAwsClient, AwsClient, AwsOptions
from pksk.connection.open_store import SECRET_VARIABLE
from pksk.connection.target import Remote, read_target
from pksk.server import Server

notes = Table("notes")


class Note(Entity, table=notes):
    id: str
    text: str = ""
    primary = Key("NOTE#{id}", "META")


GET = Note.primary.get(id="1")


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, and nothing of the user's surroundings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(SECRET_VARIABLE, raising=False)
    for name in (
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_PROFILE",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
    ):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def used(store: Store) -> None:
    """Make a table and an item, and find it again."""
    with store as db:
        db.ensure_tables(notes)
        note = db.put(Note(id="1", text="hello"))
        assert db.get(GET) == note


def used_awaiting(target: Any, **options: Any) -> None:
    async def use() -> None:
        async with connect_async(target, **options) as db:
            await db.ensure_tables(notes)
            note = await db.put(Note(id="1", text="hello"))
            assert await db.get(GET) == note

    asyncio.run(use())


def test_connect_without_a_target_uses_a_file_in_this_folder(empty_folder: Path) -> None:
    used(connect())

    assert (empty_folder / "pksk.db").exists()
    with connect() as again:
        assert again.get(GET) is not None


@pytest.mark.parametrize("make", [str, Path, lambda path: f"./{path}"], ids=["text", "path", "dotted"])
def test_data_in_a_file_is_there_after_reconnecting(empty_folder: Path, make: Any) -> None:
    used(connect(make("shop.db")))

    assert (empty_folder / "shop.db").exists()
    used_awaiting(make("shop.db"))


@pytest.mark.parametrize("target", ["memory:", ":memory:"])
def test_memory_leaves_no_file(empty_folder: Path, target: str) -> None:
    used(connect(target))
    used_awaiting(target)

    assert list(empty_folder.iterdir()) == []
    with connect(target) as fresh:
        assert fresh.client.call("ListTables", {}) == {"TableNames": []}


def test_an_address_is_a_server() -> None:
    with Engine.open() as engine, Server(engine) as server:
        used(connect(server.url))
        used_awaiting(server.url)
        used(connect(f"http://localhost:{server.port}"))


def test_a_region_is_aws() -> None:
    for target, region, profile in (
        ("dynamodb://eu-west-1", "eu-west-1", None),
        ("dynamodb://ca-central-1?profile=shop", "ca-central-1", "shop"),
        ("dynamodb://", None, None),
        ("dynamodb://?profile=shop", None, "shop"),
        ("DynamoDB://eu-west-1/", "eu-west-1", None),
    ):
        found = read_target(target)

        assert isinstance(found, Remote)
        assert (found.options.region, found.options.profile, found.options.endpoint) == (
            region,
            profile,
            None,
        )
    connect("dynamodb://eu-west-1").close()


def test_a_client_is_used_and_stays_open() -> None:
    with Engine.open() as engine:
        used(connect(engine))
        used_awaiting(engine)
        with Server(engine) as server, AwsClient(AwsOptions(endpoint=server.url)) as client:
            used(connect(client))
            used(connect(client))

        assert engine.call("ListTables", {}) == {"TableNames": ["notes"]}


def test_connect_async_accepts_an_asynchronous_client() -> None:
    async def use(url: str) -> None:
        async with AsyncAwsClient(AwsOptions(endpoint=url)) as client:
            async with connect_async(client) as db:
                await db.ensure_tables(notes)
            assert (await client.call("ListTables", {}))["TableNames"] == ["notes"]

    with Engine.open() as engine, Server(engine) as server:
        asyncio.run(use(server.url))


@pytest.mark.parametrize(
    ("target", "problem", "fix"),
    [
        ("", "a file name must not be blank", ""),
        ("  ", "a file name must not be blank", ""),
        ("dynamo://eu-west-1", "'dynamo' is not a kind of target", "did you mean 'dynamodb://eu-west-1'?"),
        ("htp://localhost:8000", "'htp' is not a kind of target", "did you mean 'http://localhost:8000'?"),
        ("sqlite://shop.db", "'sqlite' is not a kind of target", ""),
        ("http:localhost:8000", "a file of that name", "did you mean 'http://localhost:8000'?"),
        ("dynamodb:eu-west-1", "a file of that name", "did you mean 'dynamodb://eu-west-1'?"),
        ("memory:shop", "a file of that name", "did you mean 'memory:'?"),
        ("memroy:", "a file of that name", "did you mean 'memory:'? A file is './memroy:'."),
        (":memroy:", "a file of that name", "did you mean 'memory:'?"),
        ("Memory:", "a file of that name", "did you mean 'memory:'?"),
        ("dynamdb:eu-west-1", "a file of that name", "did you mean 'dynamodb://eu-west-1'?"),
        ("localhost", "a file of that name", "did you mean 'http://localhost'? A file is './localhost'."),
        ("localhost:8000", "a file of that name", "did you mean 'http://localhost:8000'?"),
        ("127.0.0.1:8000/", "a file of that name", "did you mean 'http://127.0.0.1:8000'?"),
        ("db.shop.example:8000", "a file of that name", "did you mean 'http://db.shop.example:8000'?"),
        ("eu-west-1", "a file of that name", "did you mean 'dynamodb://eu-west-1'?"),
        ("us-gov-west-1", "a file of that name", "did you mean 'dynamodb://us-gov-west-1'?"),
        ("dynamodb.eu-west-1.amazonaws.com", "a file of that name", "did you mean 'dynamodb://eu-west-1'?"),
        ("dynamodb", "a file of that name", "did you mean 'dynamodb://eu-west-1'?"),
        ("AWS", "a file of that name", "did you mean 'dynamodb://eu-west-1'?"),
        ("file:shop.db", "a file of that name", "did you mean 'shop.db'?"),
        ("memory", "a file of that name", "'memory:'"),
        ("dynamodb://eu-west-1?profil=x", "there is no option 'profil'", "did you mean 'profile'?"),
        ("dynamodb://eu-west-1?x=1", "there is no option 'x'", ""),
        ("dynamodb://eu-west-1/shop", "a region follows dynamodb://", ""),
        ("dynamodb://eu-west-1:8000", "a region follows dynamodb://", ""),
        ("dynamodb://eu-west-1:port", "a region follows dynamodb://", ""),
        ("dynamodb://[", "a region follows dynamodb://", ""),
        ("dynamodb://key:secret@eu-west-1", "a region follows dynamodb://", ""),
        ("dynamodb://eu-west-1#shop", "a region follows dynamodb://", ""),
        ("dynamodb://eu-west-1?profile=", "profile is empty", ""),
        (
            "dynamodb://eu-west-1?profile=a&profile=b",
            "profile occurs twice with different values",
            "write it once",
        ),
        ("http://", "not the address of a server", "write 'http://localhost:8000'."),
        ("http://localhost:99999", "its endpoint is 'http://localhost:99999'", ""),
        ("http://local host", "its endpoint is 'http://local host'", ""),
        ("dynamodb://Nowhere_1", "its region is 'nowhere_1'", "write 'dynamodb://eu-west-1'."),
        (5, "this is not a target", ""),
        (b"shop.db", "this is not a target", ""),
        (object(), "this is not a target", ""),
        (Engine, "this is not a target", ""),
        (["memory:"], "this is not a target", ""),
    ],
    ids=lambda given: given if isinstance(given, str) else type(given).__name__,
)
def test_an_invalid_target_is_rejected_with_a_suggestion(
    empty_folder: Path, target: Any, problem: str, fix: str
) -> None:
    for opening in (connect, connect_async):
        with pytest.raises(PkskError) as caught:
            opening(target)

        assert caught.value.code == "connect-target"
        assert problem in caught.value.problem
        assert fix in caught.value.fix
        assert "A target is a path, 'memory:'" in caught.value.expected
    assert list(empty_folder.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["shop:2.db", "c:shop.db", "./memroy:", "shop", "eu-west.db", "./localhost", "my-db-1"]
)
def test_a_file_may_be_called_nearly_like_something_else(empty_folder: Path, name: str) -> None:
    connect(name).close()

    assert (empty_folder / name).exists()


@pytest.mark.parametrize("name", ["memory", "eu-west-1", ":memroy:", "shop:"])
def test_a_path_is_a_file_whatever_its_name(empty_folder: Path, name: str) -> None:
    connect(Path(name)).close()

    assert (empty_folder / name).exists()


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    for opening in (connect, connect_async):
        with pytest.raises(PkskError, match=str(tmp_path)):
            opening(tmp_path)


def test_a_file_of_another_program_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "shop.db").write_text("no database at all" * 1000)
    with pytest.raises(PkskError, match=r"shop\.db"):
        connect("shop.db")


def test_a_file_that_is_open_is_not_opened_again(tmp_path: Path) -> None:
    with connect("shop.db") as db:
        with pytest.raises(PkskError, match=r"shop\.db"):
            connect("shop.db")
        db.ensure_tables(notes)


def test_an_unreachable_server_fails_at_the_first_request() -> None:
    with connect("http://127.0.0.1:1", retry=Retry(attempts=2, pause_seconds=0)) as db:
        with pytest.raises(ServiceUnreachable) as caught:
            db.get(GET)

        assert "tried 2 times: GetItem was not sent to http://127.0.0.1:1" in caught.value.problem


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        ({"cursor_secret": ""}, "connect-secret", "a secret must be text or bytes, and not empty"),
        ({"cursor_secret": b""}, "connect-secret", "a secret must be text or bytes, and not empty"),
        ({"cursor_secret": 5}, "connect-secret", "cursor_secret=5"),
        ({"retry": 5}, "connect-option", "retry=5"),
        ({"hooks": [5]}, "connect-option", "hooks"),
        ({"hooks": 5}, "connect-option", "hooks"),
        ({"clock": 5}, "connect-option", "clock=5"),
    ],
    ids=str,
)
def test_invalid_options_are_rejected(
    empty_folder: Path, options: dict[str, Any], code: str, text: str
) -> None:
    for opening in (connect, connect_async):
        with pytest.raises(PkskError) as caught:
            opening("shop.db", **options)

        assert caught.value.code == code
        assert text in caught.value.problem
    assert list(empty_folder.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [{"attempts": 0}, {"attempts": "3"}, {"conflict_attempts": 0}, {"pause_seconds": -1}, {"quota": -1}],
    ids=str,
)
def test_invalid_retry_settings_are_rejected(options: dict[str, Any]) -> None:
    with pytest.raises(PkskError, match=next(iter(options))):
        Retry(**options)


def cursor(store: Store) -> str:
    with store as db:
        db.ensure_tables(notes)
        db.batch_put(*(Note(id="1", text=str(n)) for n in range(1)))
        return db.page(Note.primary(id="1").limit(1)).cursor(0)


def test_the_cursor_secret_is_an_argument_or_an_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    random = cursor(connect("shop.db"))
    monkeypatch.setenv(SECRET_VARIABLE, "ours")
    of_environment = cursor(connect("shop.db"))
    given = cursor(connect("shop.db", cursor_secret="ours"))
    as_bytes = cursor(connect("shop.db", cursor_secret=b"ours"))

    assert of_environment == given == as_bytes != random
    with connect("shop.db", cursor_secret="theirs") as db, pytest.raises(InvalidCursor):
        db.page(Note.primary(id="1").limit(1), after=given)


def test_an_empty_variable_is_none_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    random = cursor(connect("shop.db"))
    monkeypatch.setenv(SECRET_VARIABLE, "")

    assert cursor(connect("shop.db")) == random


def test_without_a_secret_each_process_has_its_own() -> None:
    program = "from pksk.connection.open_store import secret_bytes; print(secret_bytes(None).hex())"
    secrets = {
        subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout
        for _ in range(2)
    }

    assert len(secrets) == 2


def test_the_clock_is_also_that_of_the_engine() -> None:
    clock = Clock(1_000_000)
    with connect("memory:", clock=clock) as db:
        db.create_tables(notes)
        description = db.client.call("DescribeTable", {"TableName": "notes"})["Table"]

    assert description["CreationDateTime"] == 1_000_000


def test_the_clock_of_an_engine_is_also_that_of_the_store() -> None:
    clock = Clock(1_000_000)
    with Engine.open(clock=clock) as engine, connect(engine) as db:
        assert db._core.clock() == 1_000_000


def test_the_kinds_of_stores() -> None:
    assert isinstance(connect("memory:"), Store)
    assert isinstance(connect_async("memory:"), AsyncStore)


def test_connect_sends_no_request(empty_folder: Path) -> None:
    for target in ("http://127.0.0.1:1", "dynamodb://eu-west-1"):
        connect(target).close()
        asyncio.run(connect_async(target).close())
