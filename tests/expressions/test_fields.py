"""Conditions and updates as Python expressions on F."""

from __future__ import annotations

import copy
from datetime import date, datetime
from enum import Enum
from typing import Any
from uuid import UUID

import pytest

from pksk import gt, unchecked
from pksk.errors import BoundsError, ExpressionError, ExpressionMisuse, InvalidValue
from pksk.expressions import And, F, Field, Value, describe, projection, render, update

# Of no type, so that mistakes which mypy would see can be made.
ANYTHING: Any = 2
ZERO: Any = 0
HALF: Any = 1.5


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (F.total > 10, "total > 10"),
        (F.total >= 10, "total >= 10"),
        (F.total < 10, "total < 10"),
        (F.total <= 10, "total <= 10"),
        (F.total == F.paid, "total = paid"),
        (F.total != "x", "total <> 'x'"),
        (10 < F.total, "total > 10"),  # noqa: SIM300 - the value on the left is the test
        (F["size"].exists(), "attribute_exists(size)"),
        (F.x.missing(), "attribute_not_exists(x)"),
        (F.tags.contains("x"), "contains(tags, 'x')"),
        (F.address.city == "x", "address.city = 'x'"),
        (F.lines[0].sku == "x", "lines[0].sku = 'x'"),
        (F.name.begins("x"), "begins_with(name, 'x')"),
        (F.n.between(1, 5), "n BETWEEN 1 AND 5"),
        (F.status.is_in("a", "b"), "status IN ('a', 'b')"),
        (F.x.type("S"), "attribute_type(x, 'S')"),
        (F.x.size() > 3, "size(x) > 3"),
        (F.x.size().between(1, F.n), "size(x) BETWEEN 1 AND n"),
        (F.x == Value({"N": "7"}), "x = 7"),
        ((F.a == 1) & (F.b == 2) | ~(F.c == 3), "a = 1 AND b = 2 OR NOT c = 3"),
        (F["a b"].c == None, '"a b".c = None'),  # noqa: E711 - the comparison makes a condition
        (
            update(F.a.set(F.b.if_not_exists(F.c)), F.d.append(1)),
            "SET a = if_not_exists(b, c), d = list_append(if_not_exists(d, []), [1])",
        ),
        (
            update(F.a.prepend(1), F.n.increment(-2)),
            "SET a = list_append([1], if_not_exists(a, [])), n = n + -2",
        ),
        (update(F.a.remove(), F.n.add(2), F.s.delete({"x"})), "REMOVE a ADD n 2 DELETE s {'x'}"),
        (projection(F.a, F.b[0].c), "a, b[0].c"),
    ],
)
def test_an_expression_of_f_renders_as_expected(tree: Any, text: str) -> None:
    assert describe(tree) == text


def test_joined_conditions_are_flat() -> None:
    a, b, c = F.a == 1, F.b == 2, F.c == 3

    assert (a & b) & c == a & (b & c) == And((a, b, c))


@pytest.mark.parametrize(
    "use",
    [
        lambda: bool(F.a == 1),
        lambda: (F.a == 1) and (F.b == 2),
        lambda: (F.a == 1) or (F.b == 2),
        lambda: not (F.a == 1),  # noqa: SIM201 - truth is the test
        lambda: 1 < F.a < 5,
        lambda: bool(F.a),
        lambda: "x" in F.tags,
        lambda: list(F.tags),
        lambda: list(F),
        lambda: "x" in F,
        lambda: list(F.a == 1),
        lambda: 1 in (F.a == 1),
    ],
)
def test_bool_in_and_iteration_raise(use: Any) -> None:
    with pytest.raises(ExpressionMisuse) as raised:
        use()

    assert raised.value.code in {"expression-truth", "expression-iteration"}


@pytest.mark.parametrize(
    ("use", "fix"),
    [
        (lambda: F.name.startswith("Ann"), "did you mean 'begins'?"),  # type: ignore[operator]
        (lambda: F.name.begins_with("Ann"), "did you mean 'begins'?"),  # type: ignore[operator]
        (lambda: F.address.city.isin("Lyon"), "did you mean 'is_in'?"),  # type: ignore[operator]
        (F.name.not_exists, "did you mean 'missing'?"),
        (F.name.lower, "use one of them, or filter the results in Python."),
        (F["names"][0], "use one of them, or filter the results in Python."),
    ],
)
def test_a_name_that_is_not_a_method_cannot_be_called(use: Any, fix: str) -> None:
    with pytest.raises(ExpressionMisuse, match=r"a field of stored items has no method '\w+'") as raised:
        use()

    assert (raised.value.code, raised.value.fix) == ("expression-no-method", fix)


def test_the_error_about_bool_names_the_operator_to_use() -> None:
    with pytest.raises(ExpressionMisuse, match=r"write \(x\) & \(y\), \(x\) \| \(y\), ~\(x\)"):
        _ = F.a == 1 and F.b == 2


@pytest.mark.parametrize(
    ("use", "code"),
    [
        (lambda: (F.a == 1) & ANYTHING, "expression-not-a-condition"),
        (lambda: F.a == "x" & F.b == "y", "expression-not-a-condition"),  # type: ignore[operator]
        (lambda: F.a == 1 | F.b == 2, "expression-not-a-condition"),  # type: ignore[operator]
        (lambda: F.a & F.b == 1, "expression-not-a-condition"),  # type: ignore[operator]
        (lambda: F.a == (F.b == 1), "expression-not-a-value"),
        (lambda: F.a == F.b + 1, "expression-not-a-value"),
        (lambda: F.a == gt(5), "expression-not-a-value"),
        (F.a.is_in, "expression-no-candidates"),
        (lambda: F.a[-1], "expression-negative-index"),
        (lambda: F[""], "expression-not-a-name"),
        (lambda: F[ZERO], "expression-not-a-name"),
        (lambda: F.a[HALF], "expression-not-a-name"),
        (lambda: F.a[True], "expression-not-a-name"),
        (lambda: setattr(F.a, "b", 1), "expression-assignment"),
    ],
)
def test_misuse_raises_at_once(use: Any, code: str) -> None:
    with pytest.raises(ExpressionMisuse) as raised:
        use()

    assert raised.value.code == code


@pytest.mark.parametrize(
    ("use", "code"),
    [
        (lambda: F.a == F.a, "expression-same-operand"),
        (lambda: F.a.between(5, "x"), "expression-between-types"),
        (lambda: F.a < [1], "expression-operand-type"),
        (lambda: F.a.begins(5), "expression-operand-type"),
        (lambda: F.a.type("DOG"), "expression-type-name"),
        (lambda: F.a.is_in(*range(101)), "expression-too-many-operands"),
        (lambda: update(F.a.set(1), F.a.b.remove()), "expression-paths-overlap"),
        (lambda: update(F.a.add("x")), "expression-clause-type"),
        (lambda: update(F.a.set(F.b + "x")), "expression-operand-type"),
    ],
)
def test_expressions_that_dynamodb_rejects_raise_at_once(use: Any, code: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        use()

    assert raised.value.code == code


@pytest.mark.parametrize(
    ("use", "shown"),
    [
        (lambda: F.a.b < None, "a.b < None"),
        (lambda: F.a.between(None, 3), "a BETWEEN None AND 3"),
        (lambda: F.a.begins(5), "begins_with(a, 5)"),
    ],
)
def test_the_error_of_a_condition_shows_it(use: Any, shown: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        use()

    assert raised.value.expected == f"The condition is: {shown}."


@pytest.mark.parametrize(
    ("use", "fix"),
    [
        (lambda: F.a.between(5, 1), "write F.a.between(1, 5)."),
        (lambda: F.a[0].size().between(unchecked(5), 1), "write F.a[0].size().between(1, 5)."),
        (lambda: F.a.between("b", "a"), "write F.a.between('a', 'b')."),
        (
            lambda: F.a.between(date(2025, 2, 1), date(2025, 1, 1)),
            "write F.a.between(datetime.date(2025, 1, 1), datetime.date(2025, 2, 1)).",
        ),
    ],
)
def test_a_range_that_ends_before_it_begins_raises_with_its_field(use: Any, fix: str) -> None:
    with pytest.raises(BoundsError) as raised:
        use()

    assert (raised.value.code, raised.value.fix) == ("bounds-backwards", fix)


def test_the_error_about_an_unsupported_value_names_the_field() -> None:
    with pytest.raises(InvalidValue, match=r"^lines\[0\]\.price: nan is not a finite number"):
        F.lines[0].price.set(float("nan"))
    with pytest.raises(InvalidValue, match=r"^at: 1j is of type complex"):
        F.at.set(1j)


def test_days_ids_and_choices_are_compared_as_models_store_them() -> None:
    class State(Enum):
        OPEN = "open"

    assert (F.day >= date(2024, 1, 1)).right == Value({"S": "2024-01-01"})
    assert (F.id == UUID(int=7)).right == Value({"S": "00000000-0000-0000-0000-000000000007"})
    assert (F.state == State.OPEN).right == Value({"S": "open"})
    assert (F.at == datetime(2024, 1, 1)).right == Value({"S": "2024-01-01T00:00:00"})
    assert (F.ratio > 0.1).right == Value({"N": "0.1"})


def test_fields_named_like_a_method_are_reached_by_index() -> None:
    assert [repr(field) for field in (F["size"], F.a["set"], F.lines[0].sku, F["a b"], F["_x"])] == [
        "F['size']",
        "F.a['set']",
        "F.lines[0].sku",
        "F['a b']",
        "F['_x']",
    ]


def test_a_field_is_hashable_and_can_be_copied() -> None:
    field = F.address.city

    assert hash(field) == hash(F.address.city)
    assert repr(copy.copy(field)) == repr(copy.deepcopy(field)) == "F.address.city"
    assert isinstance(field, Field)


def test_a_name_with_a_leading_underscore_is_not_an_attribute_of_f() -> None:
    with pytest.raises(AttributeError, match=r"F\['_x'\]"):
        F._x  # noqa: B018 - asking is the test


def test_a_condition_is_hashable_whatever_its_values() -> None:
    one, two = F.a == {"x": [1]}, F.a == {"x": [1]}

    assert len({one, two, F.a == {1}, F.a == None}) == 3  # noqa: E711


def test_a_name_has_one_placeholder() -> None:
    text, names, values = render((F.status == "x") & (F.status != "y") & (F.old == "x"))

    assert (text, names) == ("#n0 = :v0 AND #n0 <> :v1 AND #n1 = :v0", {"#n0": "status", "#n1": "old"})
    assert values == {":v0": {"S": "x"}, ":v1": {"S": "y"}}
