"""`connect` and `connect_async`: open a store on a target."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable
from os import PathLike
from time import time
from typing import Any, Final, TypeAlias

import pksk.aws
import pksk.engine  # like pksk.aws, it imports what it holds on first use
import pksk.store
from pksk.client import AsyncClient, Client
from pksk.connection.target import Embedded, ExistingClient, Remote, Target, check_client_kind, read_target
from pksk.errors import PkskError, quote, shorten_traceback
from pksk.sending import Hook
from pksk.store import Core, Retry, Store

SECRET_VARIABLE: Final = "PKSK_CURSOR_SECRET"
_RANDOM_SECRET: Final = secrets.token_bytes(32)


def secret_bytes(secret: str | bytes | None) -> bytes:
    """The secret that signs cursors: this one, else that of the environment, else a random one."""
    value = os.environ.get(SECRET_VARIABLE) or None if secret is None else secret
    if value is None:
        return _RANDOM_SECRET
    if not isinstance(value, str | bytes) or not value:
        raise PkskError(
            "connect-secret",
            f"connect(cursor_secret={quote(value)}): a secret must be text or bytes, and not empty.",
            fix=f"share one secret among all processes: cursor_secret= or {SECRET_VARIABLE}; or leave it out.",
        )
    # Python decodes invalid UTF-8 in environment variables to lone surrogates.
    return value.encode(errors="surrogatepass") if isinstance(value, str) else value


Clock: TypeAlias = Callable[[], float]
# Parallel requests over a network; an engine in this process runs requests one after another.
_MAX_PARALLEL: Final = 16


def connect(
    target: str | PathLike[str] | Client | None = None,
    *,
    cursor_secret: str | bytes | None = None,
    retry: Retry | None = None,
    hooks: Iterable[Hook] = (),
    clock: Clock | None = None,
) -> Store:
    """A store on an embedded engine, on AWS, or on any server that speaks DynamoDB's API.

    | target | where |
    |---|---|
    | nothing | the embedded engine in the file `pksk.db` of this folder |
    | a path | the embedded engine in that file |
    | `memory:` | the embedded engine in memory |
    | `dynamodb://eu-west-1?profile=shop` | AWS, with the keys that its SDKs find |
    | `http://127.0.0.1:8000` | a server: pksk's own, ScyllaDB Alternator, ExtendDB |
    | a `Client` | whatever it calls; closing it stays with the caller |

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Note(Entity, table=Table("notes")):
        ...     id: str
        ...     text: str
        ...     primary = Key("NOTE#{id}", "META")
        >>> with connect("memory:") as db:
        ...     db.create_tables(Note.__pksk__.table)
        ...     note = db.put(Note(id="7", text="hello"))
        ...     print(db.get(Note.primary.get(id="7")))
        id='7' text='hello'
    """
    parsed_target = _read_target(target)
    core = _core(cursor_secret, retry, hooks, clock or _clock_of(parsed_target))
    if isinstance(parsed_target, Embedded):
        opened = pksk.engine.Engine.open(parsed_target.path, clock=clock)
        return Store(opened, core, closing=_close_in_this_process(opened.close), one_process=True)
    if isinstance(parsed_target, Remote):
        client = pksk.aws.AwsClient(parsed_target.options)
        return Store(client, core, workers=_MAX_PARALLEL, closing=client.close)
    check_client_kind(parsed_target.client, awaited=False)
    embedded = isinstance(parsed_target.client, pksk.engine.Engine)
    return Store(parsed_target.client, core, workers=1 if embedded else _MAX_PARALLEL, one_process=embedded)


def connect_async(
    target: str | PathLike[str] | AsyncClient | Any | None = None,
    *,
    cursor_secret: str | bytes | None = None,
    retry: Retry | None = None,
    hooks: Iterable[Hook] = (),
    clock: Clock | None = None,
) -> pksk.store.AsyncStore:
    """An asynchronous store; `async with` closes it.

    Example:
        >>> import asyncio
        >>> async def tables():
        ...     async with connect_async("memory:") as db:
        ...         return (await db.client.call("ListTables", {}))["TableNames"]
        >>> asyncio.run(tables())
        []
    """
    from pksk.connection.engine_client import AsyncEngineClient  # loads asyncio

    parsed_target = _read_target(target)
    core = _core(cursor_secret, retry, hooks, clock or _clock_of(parsed_target))
    if isinstance(parsed_target, Embedded):
        opened = AsyncEngineClient(pksk.engine.Engine.open(parsed_target.path, clock=clock))
        return pksk.store.AsyncStore(opened, core, closing=opened.close, one_process=True)
    if isinstance(parsed_target, Remote):
        client = pksk.aws.AsyncAwsClient(parsed_target.options)
        return pksk.store.AsyncStore(client, core, closing=client.close)
    own_client = parsed_target.client
    if not isinstance(own_client, pksk.engine.Engine):
        check_client_kind(own_client, awaited=True)
        return pksk.store.AsyncStore(own_client, core)
    wrapped = AsyncEngineClient(own_client)
    return pksk.store.AsyncStore(wrapped, core, closing=wrapped.release, one_process=True)


def _read_target(target: object) -> Target:
    try:
        return read_target(target)
    except PkskError as error:
        raise shorten_traceback(error)  # noqa: B904 - the error itself


def _close_in_this_process(close: Callable[[], None]) -> Callable[[], None]:
    """Close the engine only in the process that opened it: a forked process would write to its file."""
    process = os.getpid()

    def closing() -> None:
        if os.getpid() == process:
            close()

    return closing


def _clock_of(target: Target) -> Clock | None:
    """The clock of an existing engine, so that store and engine agree on expired items."""
    if isinstance(target, ExistingClient) and isinstance(target.client, pksk.engine.Engine):
        return target.client.settings.clock
    return None


def _core(
    cursor_secret: str | bytes | None, retry: Retry | None, hooks: Iterable[Hook], clock: Clock | None
) -> Core:
    for option, value, wrong in (
        ("retry", retry, retry is not None and not isinstance(retry, Retry)),
        ("clock", clock, clock is not None and not callable(clock)),
    ):
        if wrong:
            raise PkskError(
                "connect-option",
                f"connect({option}={quote(value)}): this is not a {option}.",
                fix="write retry=Retry(attempts=10)."
                if option == "retry"
                else "pass a function without arguments.",
            )
    hook_list: tuple[Any, ...] = tuple(hooks) if isinstance(hooks, Iterable) else (None,)
    for hook in hook_list:
        if not callable(hook):
            raise PkskError(
                "connect-option",
                f"connect(hooks={quote(hooks)}): this is not a list of hooks.",
                fix="pass a list of functions that take a RequestStarted: hooks=[log_to()].",
            )
    return Core(
        retry=retry or Retry(),
        hooks=hook_list,
        clock=clock or time,
        secret=secret_bytes(cursor_secret),
        max_parallel=_MAX_PARALLEL,
    )
