"""Bodies of requests: valid, and damaged in every way that JSON allows."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import accumulate
from typing import Any, Final, NamedTuple

import orjson

from tests.engine.damaged_requests import damage, damage_bytes, nested, positions

from .random_choices import RandomChoices
from .sample_tables import MARKS, SampleTables

__all__ = ["Body", "a_body", "a_mark"]


class Body(NamedTuple):
    """A request: its sort, its operation, its bytes, and the check of its response, if it is known."""

    kind: str
    operation: str
    body: bytes
    answer: bytes | None = None


def a_body(world: SampleTables, chance: RandomChoices) -> Body:
    """One of any sort."""
    kind, make = chance.weighted(_MAKERS, _WEIGHTS)
    if make is None:
        return a_mark(chance)
    operation, valid = chance.pick(world.valid)
    return Body(kind, operation, make(valid, chance))


def a_mark(chance: RandomChoices) -> Body:
    """A request that only one answer is right for."""
    number = chance.number(0, MARKS - 1)
    body = b'{"TableName": "marks", "Key": {"n": {"N": "%d"}}}' % number
    return Body("mark", "GetItem", body, b'{"Item":{"n":{"N":"%d"}}}' % number)


def _as_it_is(valid: bytes, chance: RandomChoices) -> bytes:
    return valid


def _damaged(valid: bytes, chance: RandomChoices) -> bytes:
    return _written(damage(orjson.loads(valid), chance), chance)


def _damaged_bytes(valid: bytes, chance: RandomChoices) -> bytes:
    return damage_bytes(valid, chance)


def _truncated(valid: bytes, chance: RandomChoices) -> bytes:
    return valid[: chance.number(0, len(valid) - 1)]


def _deep(valid: bytes, chance: RandomChoices) -> bytes:
    """Brackets in brackets, some of them closed, in place of the body or of something in it."""
    count = int(10 ** (1 + 4 * chance.number(0, 1000) / 1000))
    opened, closed = chance.pick([(b"[", b"]"), (b'{"a":', b"}"), (b'{"M":{"a":', b"}}"), (b'{"L":[', b"]}")])
    deep = opened * count + b"1" + closed * chance.pick([count, count, 0, count - 1, count + 1])
    if chance.is_one_in(3):
        return deep
    request = orjson.loads(valid)
    holder, position = chance.pick(list(positions([request])))
    holder[position] = "\0here"
    return orjson.dumps(request).replace(b'"\\u0000here"', deep)


def _nested_values(valid: bytes, chance: RandomChoices) -> bytes:
    request = orjson.loads(valid)
    holder, position = chance.pick(list(positions([request])))
    holder[position] = nested(chance.number(28, 300), chance.pick("ML"))
    return _written(request, chance)


def _number(valid: bytes, chance: RandomChoices) -> bytes:
    """A number of many digits, or far out, in place of any other or of anything else."""
    digits = str(chance.number(0, 10**15)) * 300
    size = chance.pick([1, 10, 37, 38, 39, 40, 400, 4500])
    end = chance.pick(["", ".", ".5", "e5", "e-5", "E125", "e-131", "e9999999999"])
    number = chance.pick(["", "-", "+", "--"]) + digits[:size] + end
    request = orjson.loads(valid)
    found = list(positions([request]))
    numeric = [each for each in found if each[1] == "N"] or found
    holder, position = chance.pick(numeric if chance.number(0, 3) else found)
    holder[position] = number if chance.number(0, 3) else "\0here"
    return orjson.dumps(request).replace(b'"\\u0000here"', number.encode())


def _duplicated(valid: bytes, chance: RandomChoices) -> bytes:
    """Members that are repeated with another value."""
    request: dict[str, Any] = orjson.loads(valid)
    again = chance.pick(list(request) or ["TableName"])
    value = chance.pick([b"null", b"5", b'""', b"[]", b"{}", orjson.dumps(request.get(again))])
    return valid[:-1] + b', "%b": %b}' % (again.encode(), value)


def _long_names(valid: bytes, chance: RandomChoices) -> bytes:
    request = orjson.loads(valid)
    holder, position = chance.pick(list(positions([request])))
    size = chance.pick([255, 256, 257, 1024, 1025, 2048, 2049, 65535, 65536, 70_000])
    name = chance.pick(["x", "\u00e9", "\U0001f600", "\0", "#", "a.", ":", "("]) * size
    if isinstance(holder, dict) and chance.number(0, 1):
        holder[name] = holder.pop(position)
    else:
        holder[position] = name
    return _written(request, chance)


def _emptied(valid: bytes, chance: RandomChoices) -> bytes:
    """Empties all strings, all containers, or the whole value."""
    way = chance.number(0, 3)
    if way == 0:
        return chance.pick([b"", b"{}", b"[]", b'""', b"null", b" ", b"\n", b"{} ", b"0", b"true"])
    request = orjson.loads(valid)
    for holder, position in list(positions([request])):
        value = holder[position]
        if way in (1, 3) and isinstance(value, str):
            holder[position] = ""
        elif way in (2, 3) and isinstance(value, (list, dict)) and chance.number(0, 1):
            holder[position] = type(value)()
    return orjson.dumps(request)


def _written(request: Any, chance: RandomChoices) -> bytes:
    """A request as JSON, which may have what orjson does not write: numbers without end, half characters."""
    return json.dumps(request, ensure_ascii=chance.number(0, 1) == 1).encode("utf-8", "surrogatepass")


_Make = Callable[[bytes, RandomChoices], bytes]
_KINDS: Final[list[tuple[str, float, _Make | None]]] = [
    ("mark", 14, None),
    ("valid", 20, _as_it_is),
    ("damaged", 32, _damaged),
    ("damaged bytes", 14, _damaged_bytes),
    ("truncated", 5, _truncated),
    ("deep", 1, _deep),
    ("nested values", 2, _nested_values),
    ("numbers", 5, _number),
    ("duplicated", 3, _duplicated),
    ("long names", 2, _long_names),
    ("emptied", 3, _emptied),
]
_MAKERS: Final = [(kind, make) for kind, _, make in _KINDS]
_WEIGHTS: Final = list(accumulate(weight for _, weight, _ in _KINDS))
