"""Damaged statements and random text are carried out or rejected, and nothing else."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from time import process_time

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from pksk.client import ServiceError
from pksk.engine import Engine
from tests.engine.valid_requests import VALID, set_up

LONG = bool(os.environ.get("PKSK_LONG"))
STATEMENTS = [
    *(request["Statement"] for operation, request in VALID if operation == "ExecuteStatement"),
    "EXISTS(SELECT * FROM orders WHERE pk = 'b' AND sk = 1 AND status = 'paid')",
    "SELECT * FROM orders WHERE NOT (attribute_type(note, 'S') OR contains(texts, ?)) AND amount IS NOT NULL;",
    "INSERT INTO orders VALUE ?",
    "FROM orders WHERE pk = 'a' AND sk = 1 AND attribute_exists(note) = true SET note = ? REMOVE list",
    "UPDATE orders SET list = list_append(list, [{'a': 1}]), amount = amount - 1 WHERE sk = 1 AND pk = 'a'",
]
WORDS = """
    SELECT FROM WHERE INSERT INTO VALUE UPDATE SET REMOVE DELETE AND OR NOT IN BETWEEN IS NULL MISSING
    ORDER BY DESC RETURNING ALL OLD NEW MODIFIED EXISTS LIKE LIMIT GROUP AS true null pk sk orders size
    ( ) [ ] { } << >> < > = <> != , . : ; ? * + - / % @ ' " ` -- /* */ 0 1 1e9 1e999 .5 5. 'a' "a" '' "" ''''
    list_append( set_add( begins_with( attribute_type( attribute_exists( size( 1e99999999999999999999
"""
PIECES = [
    *WORDS.split(), "\x00", "\n", "😀", "\ufeff", "é", "9" * 50, "(" * 50, "[" * 50, "{'a':" * 50, "<<" * 50,
]  # fmt: skip
PARAMETERS = [{"S": "a"}, {"N": "1"}, {"N": "5"}]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine.open() as opened:
        yield set_up(opened)


def outcome(engine: Engine, statement: str) -> str:
    """Run a statement in each of the three operations; it may be rejected, and nothing else."""
    if not statement:
        return "empty"
    one = {"Statement": statement, "Parameters": PARAMETERS}
    codes = [
        _code(engine, "ExecuteStatement", one),
        _code(engine, "BatchExecuteStatement", {"Statements": [one]}),
        _code(engine, "ExecuteTransaction", {"TransactStatements": [one]}),
    ]
    assert "InternalServerError" not in codes, (statement, codes)
    return codes[0]


def _code(engine: Engine, operation: str, request: Mapping[str, object]) -> str:
    try:
        engine.call(operation, request)
    except ServiceError as error:
        return error.code
    return "done"


@given(st.data())
@settings(max_examples=20000 if LONG else 60)
def test_a_damaged_statement_succeeds_or_is_rejected(engine: Engine, data: st.DataObject) -> None:
    statement = data.draw(st.sampled_from(STATEMENTS))
    for _ in range(data.draw(st.integers(1, 4))):
        tokens = re.findall(r"\w+|\s+|.", statement)
        start = data.draw(st.integers(0, len(tokens)))
        end = data.draw(st.integers(start, min(len(tokens), start + 3)))
        new = data.draw(st.lists(st.sampled_from([*PIECES, *tokens]), max_size=3))
        statement = "".join([*tokens[:start], " ".join(new), *tokens[end:]])[:8192]

    event(outcome(engine, statement))


@given(st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join))
@settings(max_examples=10000 if LONG else 40)
def test_random_words_succeed_or_are_rejected(engine: Engine, statement: str) -> None:
    event(outcome(engine, statement[:8192]))


@given(st.text(max_size=100))
@settings(max_examples=5000 if LONG else 30)
def test_random_text_succeeds_or_is_rejected(engine: Engine, text: str) -> None:
    outcome(engine, text)
    outcome(engine, f"SELECT * FROM orders WHERE pk = {text}")


@pytest.mark.parametrize("opening", ["(", "[", "{'a':", "<<", "NOT ", "-", "NOT (", "size(", "a[", "a."])
def test_deeply_nested_statements_succeed_or_are_rejected(engine: Engine, opening: str) -> None:
    most = (8192 - 50) // len(opening)
    for begin in (
        "SELECT * FROM orders WHERE ",
        "SELECT * FROM orders WHERE a = ",
        "INSERT INTO orders VALUE ",
    ):
        for end in ("", "1", "a = 1"):
            assert outcome(engine, begin + opening * most + end) == "ValidationException"


@pytest.mark.parametrize("many", ["/* ", "?, "])
def test_long_repetitions_are_parsed_quickly(engine: Engine, many: str) -> None:
    begin = "INSERT INTO orders VALUE {'pk': 'p', 'sk': 's', 'x': ["
    text = begin + many * ((8192 - len(begin)) // len(many))

    def seconds() -> float:
        started = process_time()
        assert outcome(engine, text) == "ValidationException"
        return process_time() - started

    # Some 10 ms; where each repetition looks at all others, it is a hundred times that, each time.
    assert min(seconds() for _ in range(5)) < 0.5


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_string_can_have_thousands_of_doubled_quotes(engine: Engine, quote: str) -> None:
    assert outcome(engine, "SELECT * FROM orders WHERE note = " + quote * 8000) == "done"
    assert outcome(engine, "SELECT * FROM orders WHERE note = " + quote * 8001) == "ValidationException"
