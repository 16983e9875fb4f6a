"""Errors have DynamoDB's own messages, in its order."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from pksk.errors import ExpressionError
from pksk.expressions import (
    RESERVED_WORDS,
    check_unused,
    key_parts,
    parse_condition,
    parse_key_condition,
    parse_projection,
    parse_update,
    resolve,
)
from pksk.expressions.texts import TEXTS

NAMES = {"#a": "a", "#b": "b", "#c": "c", "#odd": "[3]"}
VALUES: dict[str, Any] = {
    ":s": {"S": "s"},
    ":n": {"N": "1"},
    ":m": {"N": "2"},
    ":b": {"B": "YQ=="},
    ":t": {"BOOL": True},
    ":z": {"NULL": True},
    ":l": {"L": []},
    ":o": {"M": {}},
    ":ss": {"SS": ["a"]},
    ":type": {"S": "DOG"},
}

CONDITIONS = [
    ("", "The expression can not be empty;"),
    ("   ", 'Syntax error; token: "<EOF>", near: "   "'),
    ("a", 'Syntax error; token: "<EOF>", near: "a"'),
    ("(a)", 'Syntax error; token: "<EOF>", near: ")"'),
    ("a = ", 'Syntax error; token: "<EOF>", near: "= "'),
    ("a = = b", 'Syntax error; token: "=", near: "= = b"'),
    ("a == b", 'Syntax error; token: "=", near: "== b"'),
    ("(a = b) x y", 'Syntax error; token: "x", near: ") x y"'),
    ("a = b)", 'Syntax error; token: ")", near: "b)"'),
    ("(a = b", 'Syntax error; token: "<EOF>", near: "b"'),
    ("attribute_not_exists(", 'Syntax error; token: "<EOF>", near: "("'),
    ("a > now()", 'Syntax error; token: ")", near: "()"'),
    ("a IN ()", 'Syntax error; token: ")", near: "()"'),
    ("a IN b", 'Syntax error; token: "b", near: "IN b"'),
    ("a BETWEEN b OR c", 'Syntax error; token: "OR", near: "b OR c"'),
    ("a > 4", 'Syntax error; token: "4", near: "> 4"'),
    ("l[00] = :s", 'Syntax error; token: "0", near: "00]"'),
    ("l[01] = :s", 'Syntax error; token: "1", near: "01]"'),
    ("l[-1] = :s", 'Syntax error; token: "-", near: "[-1"'),
    ("l[:n] = :s", 'Syntax error; token: ":n", near: "[:n]"'),
    ("_x = :s", 'Syntax error; token: "_", near: "_x"'),
    ("a = :", 'Syntax error; token: ":", near: "= :"'),
    ("# = :s", 'Syntax error; token: "#", near: "# ="'),
    ("é = :s", 'Syntax error; token: "é", near: "é ="'),
    ("a\u00a0= :s", 'Syntax error; token: "\u00a0", near: "a\u00a0="'),
    ("(size(a))[0] > b", 'Syntax error; token: "[", near: ")[0"'),
    ("(a.b).c = :s", 'Syntax error; token: ".", near: ").c"'),
    ("a AND b = c", 'Syntax error; token: "AND", near: "a AND b"'),
    ("set = :s", 'Syntax error; token: "set", near: "set ="'),
    ("(a = b) = c", 'Syntax error; token: "=", near: ") = c"'),
    ("NOT", 'Syntax error; token: "<EOF>", near: "NOT"'),
    ("a = (b", 'Syntax error; token: "<EOF>", near: "b"'),
    ("((a = b))", "The expression has redundant parentheses;"),
    ("((a)) = b", "The expression has redundant parentheses;"),
    ("a = ((b))", "The expression has redundant parentheses;"),
    ("((attribute_exists(a)))", "The expression has redundant parentheses;"),
    ("status = f(a) AND ((a = b))", "The expression has redundant parentheses;"),
    ("status = :s AND dog(a)", "Invalid function name; function: dog"),
    ("ATTRIBUTE_EXISTS(a)", "Invalid function name; function: ATTRIBUTE_EXISTS"),
    (
        "if_not_exists(a, b) = :s",
        "The function is not allowed in a condition expression; function: if_not_exists",
    ),
    (
        "list_append(a, b) = :s",
        "The function is not allowed in a condition expression; function: list_append",
    ),
    ("size(a)", "The function is not allowed to be used this way in an expression; function: size"),
    ("NOT (size(a))", "The function is not allowed to be used this way in an expression; function: size"),
    (
        "attribute_exists(a) < :n",
        "The function is not allowed to be used this way in an expression; function: attribute_exists",
    ),
    (
        "a IN (contains(b, :s))",
        "The function is not allowed to be used this way in an expression; function: contains",
    ),
    (
        "size(begins_with(a, :s)) = :n",
        "The function is not allowed to be used this way in an expression; function: begins_with",
    ),
    ("a = :nope AND status = :s", "Attribute name is a reserved keyword; reserved keyword: status"),
    ("m.Size = :s", "Attribute name is a reserved keyword; reserved keyword: Size"),
    ("l[4294967295] = :s", "List index is not within the allowable range; index: [4294967295]"),
    (
        "#x = :s",
        "An expression attribute name used in the document path is not defined; attribute name: #x",
    ),
    (
        "a = :x OR #x = :s",
        "An expression attribute value used in expression is not defined; attribute value: :x",
    ),
    (
        "a" + ".b" * 32 + " = :s",
        "The document path has too many nesting levels; nesting levels: 33",
    ),
    (
        "attribute_exists(a, b)",
        "Incorrect number of operands for operator or function; "
        "operator or function: attribute_exists, number of operands: 2",
    ),
    (
        "begins_with(a)",
        "Incorrect number of operands for operator or function; "
        "operator or function: begins_with, number of operands: 1",
    ),
    (
        "size(a, a) = :n",
        "Incorrect number of operands for operator or function; operator or function: size, number of operands: 2",
    ),
    (
        f"a IN ({', '.join(['b'] * 101)})",
        "The IN operator is provided with too many operands; number of operands: 101",
    ),
    *(
        (
            text,
            "The first operand must be distinct from the remaining operands for this operator or function; "
            f"operator: {operator}, first operand: {operand}",
        )
        for text, operator, operand in (
            ("a = a", "=", "[a]"),
            ("#a <> a", "<>", "[a]"),
            ("a.b[0] < a.b[0]", "<", "[a, b, [0]]"),
            ("contains(a, a)", "contains", "[a]"),
            ("begins_with(a, a)", "begins_with", "[a]"),
            ("a BETWEEN b AND a", "BETWEEN", "[a]"),
            ("a IN (b, a)", "IN", "[a]"),
        )
    ),
    *(
        (
            text,
            "Incorrect operand type for operator or function; "
            f"operator or function: {operator}, operand type: {kind}",
        )
        for text, operator, kind in (
            ("a < :l", "<", "L"),
            (":t >= a", ">=", "BOOL"),
            ("a <= :o", "<=", "M"),
            ("a > :z", ">", "NULL"),
            ("a BETWEEN :ss AND :ss", "BETWEEN", "SS"),
            ("begins_with(a, :n)", "begins_with", "N"),
            ("begins_with(:t, a)", "begins_with", "BOOL"),
            ("begins_with(a, size(b))", "begins_with", "N"),
            ("size(:n) = a", "size", "N"),
            ("size(:z) = a", "size", "NULL"),
            ("size(size(a)) = :n", "size", "N"),
            ("contains(:n, a)", "contains", "N"),
            ("attribute_type(a, :n)", "attribute_type", "N"),
            (
                "attribute_type(a, b)",
                "attribute_type",
                "{S,SS,N,NS,B,BS,BOOL,NULL,L,M,HD,DOUBLE,FLOAT,HDS,FS,DOUBLESET,DICT,DECIMAL,INT,DECIMALSET,INTSET}",
            ),
        )
    ),
    (
        "attribute_type(a, :type)",
        "Invalid attribute type name found; type: DOG, valid types: {S,SS,N,NS,B,BS,BOOL,NULL,L,M}",
    ),
    (
        "attribute_exists(:s)",
        "Operator or function requires a document path; operator or function: attribute_exists",
    ),
    (
        "attribute_not_exists(size(a))",
        "Operator or function requires a document path; operator or function: attribute_not_exists",
    ),
    (
        "a BETWEEN :n AND :s",
        "The BETWEEN operator requires same data type for lower and upper bounds; "
        "lower bound operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:s}",
    ),
    (
        "a BETWEEN :m AND :n",
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
        "lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}",
    ),
]


@pytest.mark.parametrize(("text", "message"), CONDITIONS)
def test_an_invalid_condition_raises(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        parse_condition(text, NAMES, VALUES)

    assert raised.value.service_message == f"Invalid ConditionExpression: {message}"


def test_the_error_names_the_parameter_of_the_request() -> None:
    with pytest.raises(ExpressionError, match=r"^Invalid FilterExpression: The expression can not be empty;"):
        parse_condition("", parameter="FilterExpression")


OVERLAP = (
    "Two document paths overlap with each other; "
    "must remove or rewrite one of these paths; path one: {}, path two: {}"
)
CONFLICT = OVERLAP.replace("overlap", "conflict")
COUNT = (
    "Incorrect number of operands for operator or function; operator or function: {}, number of operands: {}"
)
FUNCTION = "Incorrect operand type for operator or function; operator or function: {}, operand type: {}"
CLAUSE = (
    "Incorrect operand type for operator or function; "
    "operator: {}, operand type: {}, typeSet: ALLOWED_FOR_ADD_OPERAND"
)

UPDATES = [
    ("", "The expression can not be empty;"),
    ("whatever", 'Syntax error; token: "whatever", near: "whatever"'),
    ("HELLO b = :s", 'Syntax error; token: "HELLO", near: "HELLO b"'),
    ("SET a", 'Syntax error; token: "<EOF>", near: "a"'),
    ("SET a = :s,", 'Syntax error; token: "<EOF>", near: ","'),
    ("SET hi-there = :s", 'Syntax error; token: "-", near: "hi-there"'),
    ("SET _123 = :s", 'Syntax error; token: "_", near: "SET _123"'),
    ("SET 123 = :s", 'Syntax error; token: "123", near: "SET 123 ="'),
    ("SET :s = b", 'Syntax error; token: ":s", near: "SET :s ="'),
    ('SET a = {"NULL": true}', 'Syntax error; token: "{", near: "= {""'),
    ("SET a = b + c + d", 'Syntax error; token: "+", near: "c + d"'),
    ("SET a = (b + c) + d", 'Syntax error; token: "+", near: ") + d"'),
    ("SET a = b + (c + d)", 'Syntax error; token: "+", near: "c + d"'),
    ("SET a = b * c", 'Syntax error; token: "*", near: "b * c"'),
    ("SET a = if_not_exists(c, b+:n)", 'Syntax error; token: "+", near: "b+:n"'),
    ("SET (a = b)", 'Syntax error; token: "(", near: "SET (a"'),
    ("SET a = (b.c).d", 'Syntax error; token: ".", near: ").d"'),
    ("SET a = set", 'Syntax error; token: "set", near: "= set"'),
    ("REMOVE a = b", 'Syntax error; token: "=", near: "a = b"'),
    ("REMOVE a b", 'Syntax error; token: "b", near: "a b"'),
    ("ADD a b", 'Syntax error; token: "b", near: "a b"'),
    ("DELETE a if_not_exists(b, c)", 'Syntax error; token: "if_not_exists", near: "a if_not_exists("'),
    ("SET a = ((b + c))", "The expression has redundant parentheses;"),
    ("SET a = ((b))", "The expression has redundant parentheses;"),
    ("SET a = dog(b, c)", "Invalid function name; function: dog"),
    ("SET a = LIST_APPEND(:l, :l)", "Invalid function name; function: LIST_APPEND"),
    ("SET a = size(b)", "The function is not allowed in an update expression; function: size"),
    ("SET a = contains(b, :s)", "The function is not allowed in an update expression; function: contains"),
    (
        "SET a = list_append(list_append(:l, :l), :l)",
        "The function is not allowed to be used this way in an expression; function: list_append",
    ),
    (
        "SET a = list_append(:l, :l) + :n",
        "The function is not allowed to be used this way in an expression; function: list_append",
    ),
    ("SET abOrt = :s SET c = :s", "Attribute name is a reserved keyword; reserved keyword: abOrt"),
    ("REMOVE Absolute", "Attribute name is a reserved keyword; reserved keyword: Absolute"),
    ("SET a = #x SET c = :x", 'The "SET" section can only be used once in an update expression;'),
    ("remove a set b = c remove d", 'The "REMOVE" section can only be used once in an update expression;'),
    ("add a :n set b = c add d :n", 'The "ADD" section can only be used once in an update expression;'),
    (
        "delete a :ss set b = c delete d :ss",
        'The "DELETE" section can only be used once in an update expression;',
    ),
    (
        "SET a = :x, #x = :s",
        "An expression attribute name used in the document path is not defined; attribute name: #x",
    ),
    (
        "SET a = if_not_exists(:x)",
        "An expression attribute value used in expression is not defined; attribute value: :x",
    ),
    ("SET a = :s REMOVE a", OVERLAP.format("[a]", "[a]")),
    ("REMOVE a.b SET a = :s", OVERLAP.format("[a, b]", "[a]")),
    ("SET a = :s, a.b = :s", OVERLAP.format("[a]", "[a, b]")),
    ("SET #a[3].#odd = :s, a[3] = :s", OVERLAP.format("[a, [3], [3]]", "[a, [3]]")),
    ("SET d[1] = a, d.b = a, c[1].a = a, #c = if_not_exists(a)", OVERLAP.format("[c, [1], a]", "[c]")),
    ("SET a.b = :s, a[1] = :s", CONFLICT.format("[a, b]", "[a, [1]]")),
    ("REMOVE a.#c SET a[1] = list_append(b)", CONFLICT.format("[a, c]", "[a, [1]]")),
    *(
        (f"{clause} a.b {value}", CLAUSE.format(clause, kind))
        for clause in ("ADD", "DELETE")
        for value, kind in (
            (":s", "STRING"),
            (":b", "BINARY"),
            (":t", "BOOL"),
            (":z", "NULL"),
            (":l", "LIST"),
            (":o", "MAP"),
        )
    ),
    ("DELETE a :n", CLAUSE.format("DELETE", "NUMBER")),
    ("SET b = list_append(:s, a), c = if_not_exists(a) ADD d :s", CLAUSE.format("ADD", "STRING")),
    ("SET a = if_not_exists(c)", COUNT.format("if_not_exists", 1)),
    ("SET a = list_append(:l, :l, :l)", COUNT.format("list_append", 3)),
    (
        "SET a = if_not_exists(:s, c)",
        "Operator or function requires a document path; operator or function: if_not_exists",
    ),
    (
        "SET a = if_not_exists(if_not_exists(a, b), c)",
        "Operator or function requires a document path; operator or function: if_not_exists",
    ),
    ("SET a = list_append(:s, a)", FUNCTION.format("list_append", "S")),
    ("SET a = list_append(a, :ss)", FUNCTION.format("list_append", "SS")),
    ("SET a = a + :s", FUNCTION.format("+", "S")),
    ("SET a = :l - a", FUNCTION.format("-", "L")),
]


@pytest.mark.parametrize(("text", "message"), UPDATES)
def test_an_invalid_update_raises(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        parse_update(text, NAMES, VALUES)

    assert raised.value.service_message == f"Invalid UpdateExpression: {message}"


PROJECTIONS = [
    ("", "The expression can not be empty;"),
    ("a b", 'Syntax error; token: "b", near: "a b"'),
    ("a,", 'Syntax error; token: "<EOF>", near: ","'),
    ("l[00]", 'Syntax error; token: "0", near: "00]"'),
    ("(a)", 'Syntax error; token: "(", near: "(a"'),
    ("a, status", "Attribute name is a reserved keyword; reserved keyword: status"),
    ("#x", "An expression attribute name used in the document path is not defined; attribute name: #x"),
    ("l[4294967295]", "List index is not within the allowable range; index: [4294967295]"),
    ("a" + ".b" * 32, "The document path has too many nesting levels; nesting levels: 33"),
    ("a, b, a", OVERLAP.format("[a]", "[a]")),
    ("a.b, #a", OVERLAP.format("[a, b]", "[a]")),
    ("a.b, a[0]", CONFLICT.format("[a, b]", "[a, [0]]")),
]


@pytest.mark.parametrize(("text", "message"), PROJECTIONS)
def test_an_invalid_projection_raises(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        parse_projection(text, NAMES)

    assert raised.value.service_message == f"Invalid ProjectionExpression: {message}"


FIRST = "Invalid condition in KeyConditionExpression: {} operator must have the key attribute as its first operand"
SEVERAL = "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"
NESTED = "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes"
FUNCTIONS = "KeyConditionExpressions cannot contain nested operations"
NO_KEY = "Invalid condition in KeyConditionExpression: No key attribute specified"
TWICE = "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("((a = :s))", "Invalid KeyConditionExpression: The expression has redundant parentheses;"),
        ("a > b and size(b) > c or a > c", "Invalid operator used in KeyConditionExpression: OR"),
        ("not a > b", "Invalid operator used in KeyConditionExpression: NOT"),
        ("a <> :s", "Invalid operator used in KeyConditionExpression: <>"),
        ("a in (b, size(c))", "Invalid operator used in KeyConditionExpression: IN"),
        ("attribute_exists(a)", "Invalid operator used in KeyConditionExpression: attribute_exists"),
        ("attribute_not_exists(a)", "Invalid operator used in KeyConditionExpression: attribute_not_exists"),
        ("contains(a.d, b)", "Invalid operator used in KeyConditionExpression: contains"),
        (":s between size(b) and size(a) and b > :s", FIRST.format("BETWEEN")),
        ("begins_with(:s, b) and a > :s", FIRST.format("begins_with")),
        ("size(b) > a AND a.b > b", FUNCTIONS),
        ("a > size(b.d)", FUNCTIONS),
        ("b > a.b", SEVERAL),
        ("b between c[1] and d", SEVERAL),
        ("begins_with(a, b)", SEVERAL),
        ("b.d > a AND c.d > e.f", NESTED),
        ("b[0] > :s", NESTED),
        (":n > :m AND a < :n", NO_KEY),
        ("b > :n AND b < :m", TWICE),
        ("(a > :n and b > :n) and (b > :n and c > :n)", TWICE),
        ("begins_with(a, :n)", f"Invalid KeyConditionExpression: {FUNCTION.format('begins_with', 'N')}"),
    ],
)
def test_an_invalid_key_condition_raises(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        parse_key_condition(text, NAMES, VALUES)

    assert raised.value.service_message == message


def test_key_conditions_have_the_attribute_on_the_left() -> None:
    condition = parse_key_condition("((:n < sk) AND (:s = pk))", NAMES, VALUES)

    assert [(part.attribute, part.operator) for part in key_parts(condition)] == [("sk", ">"), ("pk", "=")]


def test_unused_names_and_values_raise() -> None:
    tree = parse_condition("#a = :a")

    check_unused(["#a"], [":a"], [tree])
    with pytest.raises(
        ExpressionError, match=r"ExpressionAttributeNames unused in expressions: keys: \{#b, #c\}"
    ):
        check_unused(["#a", "#b", "#c"], [":x"], [tree])
    with pytest.raises(
        ExpressionError, match=r"ExpressionAttributeValues unused in expressions: keys: \{:x\}"
    ):
        check_unused(["#a"], [":a", ":x"], [tree])


@pytest.mark.parametrize(
    ("text", "message"), [pair for pair in CONDITIONS if "#" in pair[0] or ":" in pair[0]][-20:]
)
def test_resolving_a_tree_later_raises_the_same_errors(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        resolve(parse_condition(text), NAMES, VALUES)

    assert raised.value.service_message == f"Invalid ConditionExpression: {message}"


def test_there_are_573_reserved_words_and_each_raises_as_a_name() -> None:
    assert len(RESERVED_WORDS) == 573
    for word in RESERVED_WORDS:
        with pytest.raises(ExpressionError, match=r"reserved keyword|Syntax error"):
            parse_condition(f"{word.lower()} = :v")


def test_errors_can_be_pickled() -> None:
    with pytest.raises(ExpressionError) as raised:
        parse_condition("status = :v")
    copied = pickle.loads(pickle.dumps(raised.value))

    assert (copied.service_message, copied.code) == (
        raised.value.service_message,
        "expression-reserved-word",
    )


def test_every_error_has_advice() -> None:
    assert [code for code, text in TEXTS.items() if not text.fix.endswith(".")] == []
