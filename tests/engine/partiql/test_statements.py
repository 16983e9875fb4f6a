"""Statements are parsed, or rejected with the messages of PartiQL's own parser."""

from __future__ import annotations

import pytest

from pksk.client import ServiceError
from pksk.engine.partiql.parse import parse
from pksk.engine.partiql.tree import (
    DeleteStatement,
    ExistsStatement,
    InsertStatement,
    OrderBy,
    SelectStatement,
    UpdateStatement,
)
from pksk.expressions import Arithmetic, Compare, Path, Set, Value

from .music import MALFORMED

ONE = Compare("=", Path(("a",)), Value({"N": "1"}))


def test_a_select_is_parsed() -> None:
    read = parse('select a.b[0], "c" from "t"."i" where a = 1 order by a desc, b asc').statement

    assert isinstance(read, SelectStatement)
    assert [column.name for column in read.columns or ()] == ["b[0]", "c"]
    assert (read.table, read.index, read.where) == ("t", "i", ONE)
    assert read.orders == (OrderBy("a", True), OrderBy("b", False))


def test_an_insert_is_parsed_with_its_parameters_in_order() -> None:
    parsed = parse("INSERT INTO t VALUE {'a': ?, 'b': [2, 1], 'c': ?}")
    values = {f"?{position}": {"S": text} for position, text in enumerate("xy")}

    assert isinstance(parsed.statement, InsertStatement)
    assert parsed.parameters == 2
    assert parsed.statement.item(values) == {
        "M": {"a": {"S": "x"}, "b": {"L": [{"N": "2"}, {"N": "1"}]}, "c": {"S": "y"}}
    }


def test_an_update_is_parsed_with_all_its_clauses() -> None:
    read = parse("UPDATE t SET a = 1 REMOVE b SET c = ?, d = d - 1 WHERE a = 1 RETURNING ALL OLD *").statement

    assert isinstance(read, UpdateStatement)
    assert [action.section for action in read.update.actions] == ["SET", "SET", "SET", "REMOVE"]
    assert (read.where, read.returning) == (ONE, "ALL_OLD")


def test_an_index_may_have_signs_that_cancel_out() -> None:
    read = parse("SELECT l[-0], l[- -1] FROM t").statement

    assert isinstance(read, SelectStatement)
    assert [column.name for column in read.columns or ()] == ["l[0]", "l[1]"]


@pytest.mark.parametrize("value", ["a + 1", "a +1", "(a + 1)", "((a) + 1)", "(a) + (1)", "((a) + ((1)))"])
def test_a_sum_is_parsed_with_or_without_parentheses(value: str) -> None:
    read = parse(f"UPDATE t SET a = {value}").statement

    assert isinstance(read, UpdateStatement)
    assert read.update.actions == (Set(Path(("a",)), Arithmetic("+", Path(("a",)), Value({"N": "1"}))),)


def test_a_delete_and_an_exists_are_parsed() -> None:
    assert parse("DELETE FROM t WHERE a = 1;").statement == DeleteStatement("t", ONE)
    assert parse("EXISTS (SELECT * FROM t WHERE a = 1)").statement == ExistsStatement("t", ONE)


def test_a_statement_is_parsed_once() -> None:
    assert parse("SELECT * FROM t") is parse("SELECT * FROM t")
    assert parse("SELECT * FROM t") is not parse("SELECT * FROM  t")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x", "Expected data manipulation"),
        (" ", "Expected data manipulation"),
        ("42", "Expected data manipulation"),
        ("CREATE TABLE t", "Unexpected keyword"),
        ("SELECT", "Unexpected term"),
        ("SELECT FROM t", "Expected data manipulation"),
        ("SELECT a", "Expected FROM after SELECT list"),
        ("SELECT *, a FROM t", "Other expressions may not be present in the select list when '*' is used without dot "
         "notation."),
        ("SELECT a, * FROM t", "Other expressions may not be present in the select list when '*' is used without dot "
         "notation."),
        ("SELECT a. FROM t", "Invalid path dot component"),
        ("SELECT a.* FROM t", "Invalid path dot component"),
        ("SELECT a[*] FROM t", "Invalid path component for simple path"),
        ("SELECT a[1.5] FROM t", "Invalid path component for simple path"),
        ("SELECT a[1 FROM t", "Expected RIGHT_BRACKET"),
        ("SELECT order FROM t", "Unexpected keyword"),
        ("SELECT * FROM", "Unexpected term"),
        ("SELECT * FROM t.", "Invalid path dot component"),
        ("SELECT * FROM t WHERE", "Unexpected term"),
        ("SELECT * FROM t WHERE a =", "Missing right-hand side expression of infix operator"),
        ("SELECT * FROM t WHERE = 1", "Unexpected operator"),
        ("SELECT * FROM t WHERE key = 1", "Unexpected keyword"),
        ("SELECT * FROM t WHERE a = 1 AND", "Missing right-hand side expression of infix operator"),
        ("SELECT * FROM t WHERE (a = 1 OR", "Missing right-hand side expression of infix operator"),
        ("SELECT * FROM t WHERE a = 1 AND NOT", "Unexpected term"),
        ("SELECT * FROM t WHERE (a = 1", "Expected RIGHT_PAREN"),
        ("SELECT * FROM t WHERE a = 1)", "Unexpected token after expression"),
        ("SELECT * FROM t WHERE ()", "Expression group cannot be empty"),
        ("SELECT * FROM t WHERE a = 1 b", "Unexpected token after expression"),
        ("SELECT * FROM t WHERE a IN []", "Expression group cannot be empty"),
        ("SELECT * FROM t WHERE a IN 5", "Unexpected term"),
        ("SELECT * FROM t WHERE a BETWEEN 1", "Expected AND"),
        ("SELECT * FROM t WHERE a BETWEEN 1 AND", "Expected expression after AND"),
        ("SELECT * FROM t WHERE a IS 5", "Expected type name"),
        ("SELECT * FROM t WHERE a NOT 5", "Unexpected token after expression"),
        ("SELECT * FROM t; SELECT * FROM t", "Unexpected token after semicolon. (Only one query is allowed.)"),
        ("SELECT * FROM t ORDER a", "Expected BY"),
        ("INSERT t VALUE {}", "Unexpected keyword"),
        ("INSERT INTO VALUE {}", "Expected identifier for simple path"),
        ("INSERT INTO t VALUE", "Unexpected term"),
        ("INSERT INTO t VALUE {'a': 1", "Expected RIGHT_CURLY"),
        ("INSERT INTO t VALUE {'a' 1}", "Expected COLON"),
        ("INSERT INTO t VALUE {'a': [1, }", "Unexpected term"),
        ("INSERT INTO t VALUE {'a': <<1 }", "Expected RIGHT_DOUBLE_ANGLE_BRACKET"),
        ("INSERT INTO t VALUE {} IF NOT EXISTS", "Unexpected token after expression"),
        ("INSERT INTO t (key, b) VALUES (1, 2)", "Unexpected keyword"),
        ("UPDATE t", "Expected data manipulation"),
        ("UPDATE t-x SET a = 1", "Expected data manipulation"),
        ("UPDATE t SET", "Expected identifier for simple path"),
        ("UPDATE t SET a 1", "Expected '='"),
        ("UPDATE t SET a = 1 RETURNING *",
         "Expected ALL or MODIFIED, then OLD or NEW, then * after RETURNING"),
        ("DELETE t", "Expected FROM after DELETE"),
        ("EXISTS SELECT", "Expected LEFT_PAREN"),
    ],
)  # fmt: skip
def test_a_malformed_statement_is_rejected(text: str, reason: str) -> None:
    with pytest.raises(ServiceError) as caught:
        parse(text)

    assert (caught.value.code, caught.value.message) == ("ValidationException", f"{MALFORMED}{reason}")


@pytest.mark.parametrize(
    ("text", "expected_message"),
    [
        ("INSERT INTO t VALUES ({'a': 1})", "Unsupported operation: Inserting multiple items in a single statement is "
         'not supported, use "INSERT INTO tableName VALUE item" instead'),
        ("INSERT INTO t <<{'a': 1}>>", "Unsupported operation: Inserting multiple items in a single statement is "
         'not supported, use "INSERT INTO tableName VALUE item" instead'),
        ('INSERT INTO t VALUE {"a": 1}', "Unexpected map key at 1:22:3"),
        ("INSERT INTO t VALUE {'a': b}", "Unexpected value at 1:27:1"),
        ("INSERT INTO t VALUE {'a': missing}", "Unexpected value at 1:27:7"),
        ('INSERT INTO "t"."i" VALUE {}', "Unexpected path component at 1:16:1"),
        ("UPDATE t SET a = if_not_exists(a, 1)", "Unrecognized function: if_not_exists at 1:18:13"),
        ("UPDATE t SET a = (size(b))", "Unrecognized function: size at 1:19:4"),
        ("UPDATE t SET a = a * 2", "Unsupported operator at 1:20:1"),
        ("UPDATE t SET a = a + 2 + 3", "Unsupported operator at 1:24:1"),
        ("SELECT a[4294967295] FROM t",
         "List index is not within the allowable range; index: [4294967295]"),
        ("SELECT a[-1] FROM t", "List index is not within the allowable range; index: [-1] at 1:11:1"),
        ("SELECT *\nFROM t WHERE a[- 12] = 1",
         "List index is not within the allowable range; index: [-12] at 2:18:2"),
        ("INSERT INTO t VALUE {'a': 1, 'b': {'c': ?}}",
         "Unsupported data type: Parameter under key root.c at 1:41:1"),
        ("UPDATE t SET a = [1, ?] WHERE b = 1",
         "Unsupported data type: Parameter under key root[1] at 1:22:1"),
        ("SELECT * FROM t WHERE a = [?, {'b': ?}]",
         "Unsupported data type: Parameter under key root[0] at 1:28:1"),
        (f"SELECT {'.'.join(['a'] * 33)} FROM t",
         "The document path has too many nesting levels; nesting levels: 33"),
    ],
)  # fmt: skip
def test_an_unsupported_statement_is_rejected(text: str, expected_message: str) -> None:
    with pytest.raises(ServiceError) as caught:
        parse(text)

    assert caught.value.message == expected_message
