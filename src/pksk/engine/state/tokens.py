"""Idempotency tokens: a transaction that is sent again within ten minutes is answered and not repeated."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from itertools import islice
from typing import Any, Final

import orjson

from pksk.dataclass import dataclass
from pksk.engine.row_layout import stored_bytes
from pksk.engine.service_errors import service_error
from pksk.engine.storage import Reader, Storage, Writer

_WINDOW_SECONDS: Final = 600
# How many old tokens each transaction deletes; it adds only one.
_MOST_FORGOTTEN: Final = 25
_NOTE: Final = "tokens"
# Two rows for each token: one by name, one by time.
BY_NAME: Final = b"n"
BY_TIME: Final = b"t"


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a request: its text, the actions sent with it, and the spaces of their tables.

    A table that was deleted and created again has another space, so the transaction runs again.
    """

    text: str
    actions: Any
    spaces: list[int]


class Tokens:
    """The tokens of the last ten minutes, stored together with their transactions."""

    def __init__(self, storage: Storage) -> None:
        noted = storage.notes(_NOTE).get(_NOTE)
        if noted is None:
            with storage.writing() as writer:
                self._space = writer.make_space()
                writer.note(_NOTE, str(self._space).encode())
        else:
            self._space = int(noted)

    def find(self, stored: Storage | Reader, token: Token, now: float) -> Mapping[str, float] | None:
        """The read units by table for repeating a finished transaction; raises if its actions differ."""
        row = stored.get(self._space, BY_NAME + token.text.encode())
        if row is None:
            return None
        stored_token = orjson.loads(row.data)
        if now - stored_token["at"] >= _WINDOW_SECONDS:
            return None
        if stored_token["digest"] != _digest(token.actions):
            raise service_error(
                "IdempotentParameterMismatchException",
                (
                    "DynamoDB rejected the request because you retried a request with a different payload but with an "
                    "idempotent token that was already used."
                ),
            )
        if stored_token["spaces"] != token.spaces:
            return None
        units: dict[str, float] = stored_token["read_units"]
        return units

    def store(self, writer: Writer, token: Token, units: Mapping[str, float], now: float) -> None:
        """Store a token with its transaction, and delete old tokens."""
        name = token.text.encode()
        too_old = writer.rows(self._space, BY_TIME, BY_TIME + time_key(now - _WINDOW_SECONDS))
        for old in [row.data for row in islice(too_old, _MOST_FORGOTTEN)]:
            self._forget(writer, old)
        self._forget(writer, name)
        stored_token = {
            "at": now,
            "digest": _digest(token.actions),
            "spaces": token.spaces,
            "read_units": dict(units),
        }
        writer.put(self._space, BY_NAME + name, 0, stored_bytes(stored_token))
        writer.put(self._space, BY_TIME + time_key(now) + name, 0, name)

    def _forget(self, writer: Writer, name: bytes) -> None:
        row = writer.get(self._space, BY_NAME + name)
        if row is not None:
            writer.delete(self._space, row.key)
            writer.delete(self._space, BY_TIME + time_key(orjson.loads(row.data)["at"]) + name)


def time_key(seconds: float) -> bytes:
    """A time as bytes that sort by time."""
    return max(0, int(seconds * 1000)).to_bytes(8)


def _digest(actions: Any) -> str:
    """A digest that ignores the order of members."""
    return blake2b(orjson.dumps(actions, option=orjson.OPT_SORT_KEYS), digest_size=16).hexdigest()
