"""Idempotency tokens: a transaction sent again within ten minutes is answered, and not done again."""

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
from pksk.engine.texts import items as texts

__all__ = ["BY_NAME", "BY_TIME", "Token", "Tokens", "time_key"]

_WINDOW_SECONDS: Final = 600
# How many tokens that are too old one transaction forgets; it adds only one.
_MOST_FORGOTTEN: Final = 25
_NOTE: Final = "tokens"
# Two rows for each token: one to find it by its name, one to find the oldest.
BY_NAME: Final = b"n"
BY_TIME: Final = b"t"


@dataclass(frozen=True, slots=True)
class Token:
    """A token as a request gives it: its text, what is asked under it, and the spaces of the tables it is about.

    A table that is made anew has another space, and nothing was done in it yet.
    """

    text: str
    actions: Any
    spaces: list[int]


class Tokens:
    """The tokens of the last ten minutes, stored in the transactions that they name."""

    def __init__(self, storage: Storage) -> None:
        noted = storage.notes(_NOTE).get(_NOTE)
        if noted is None:
            with storage.writing() as writer:
                self._space = writer.make_space()
                writer.note(_NOTE, str(self._space).encode())
        else:
            self._space = int(noted)

    def find(self, stored: Storage | Reader, token: Token, now: float) -> Mapping[str, float] | None:
        """What reading a transaction again costs by table, if it was done; refuses another one under its token."""
        row = stored.get(self._space, BY_NAME + token.text.encode())
        if row is None:
            return None
        done = orjson.loads(row.data)
        if now - done["at"] >= _WINDOW_SECONDS:
            return None
        if done["digest"] != _digest(token.actions):
            raise service_error("IdempotentParameterMismatchException", texts.TOKEN_MISMATCH)
        if done["spaces"] != token.spaces:
            return None
        units: dict[str, float] = done["read_units"]
        return units

    def store(self, writer: Writer, token: Token, units: Mapping[str, float], now: float) -> None:
        """Store with a transaction what it was, and forget tokens that are too old."""
        name = token.text.encode()
        too_old = writer.rows(self._space, BY_TIME, BY_TIME + time_key(now - _WINDOW_SECONDS))
        for old in [row.data for row in islice(too_old, _MOST_FORGOTTEN)]:
            self._forget(writer, old)
        self._forget(writer, name)
        done = {
            "at": now,
            "digest": _digest(token.actions),
            "spaces": token.spaces,
            "read_units": dict(units),
        }
        writer.put(self._space, BY_NAME + name, 0, stored_bytes(done))
        writer.put(self._space, BY_TIME + time_key(now) + name, 0, name)

    def _forget(self, writer: Writer, name: bytes) -> None:
        row = writer.get(self._space, BY_NAME + name)
        if row is not None:
            writer.delete(self._space, row.key)
            writer.delete(self._space, BY_TIME + time_key(orjson.loads(row.data)["at"]) + name)


def time_key(seconds: float) -> bytes:
    """A time as the bytes that order tokens by it."""
    return max(0, int(seconds * 1000)).to_bytes(8)


def _digest(actions: Any) -> str:
    """What two requests share that are the same but for the order of members."""
    return blake2b(orjson.dumps(actions, option=orjson.OPT_SORT_KEYS), digest_size=16).hexdigest()
