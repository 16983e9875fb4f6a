"""Conditions and updates as Python expressions on F."""

from __future__ import annotations

import copy
from datetime import date, datetime, timedelta
from enum import Enum
from typing import Any
from uuid import UUID

import pytest

from pksk.errors import ExpressionError, ExpressionMisuse, InvalidValue
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
def test_what_is_written_is_what_is_meant(tree: Any, text: str) -> None:
    assert describe(tree) == text


def test_joined_conditions_are_one_run() -> None:
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
def test_truth_membership_and_iteration_raise(use: Any) -> None:
    with pytest.raises(ExpressionMisuse) as refused:
        use()

    assert refused.value.code in {"expression-truth", "expression-iteration"}


def test_the_refused_truth_says_what_to_write() -> None:
    with pytest.raises(ExpressionMisuse, match=r"write \(x\) & \(y\), \(x\) \| \(y\), ~\(x\)"):
        _ = F.a == 1 and F.b == 2


@pytest.mark.parametrize(
    ("use", "code"),
    [
        (lambda: (F.a == 1) & ANYTHING, "expression-not-a-condition"),
        (lambda: F.a == (F.b == 1), "expression-not-a-value"),
        (lambda: F.a == F.b + 1, "expression-not-a-value"),
        (F.a.is_in, "expression-no-candidates"),
        (lambda: F.a[-1], "expression-negative-index"),
        (lambda: F[""], "expression-not-a-name"),
        (lambda: F[ZERO], "expression-not-a-name"),
        (lambda: F.a[HALF], "expression-not-a-name"),
        (lambda: F.a[True], "expression-not-a-name"),
        (lambda: setattr(F.a, "b", 1), "expression-assignment"),
    ],
)
def test_misuse_is_refused_where_it_is_written(use: Any, code: str) -> None:
    with pytest.raises(ExpressionMisuse) as refused:
        use()

    assert refused.value.code == code


@pytest.mark.parametrize(
    ("use", "code"),
    [
        (lambda: F.a == F.a, "expression-same-operand"),
        (lambda: F.a.between(5, 1), "expression-between-order"),
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
def test_what_dynamodb_would_refuse_is_refused_where_it_is_written(use: Any, code: str) -> None:
    with pytest.raises(ExpressionError) as refused:
        use()

    assert refused.value.code == code


def test_a_value_that_cannot_be_stored_is_refused_with_the_name_of_the_field() -> None:
    with pytest.raises(InvalidValue, match=r"^lines\[0\]\.price: nan is not a finite number"):
        F.lines[0].price.set(float("nan"))
    with pytest.raises(InvalidValue, match=r"^at: datetime\.timedelta"):
        F.at.set(timedelta(1))


def test_days_ids_and_choices_are_compared_as_models_store_them() -> None:
    class State(Enum):
        OPEN = "open"

    assert (F.day >= date(2024, 1, 1)).right == Value({"S": "2024-01-01"})
    assert (F.id == UUID(int=7)).right == Value({"S": "00000000-0000-0000-0000-000000000007"})
    assert (F.state == State.OPEN).right == Value({"S": "open"})
    assert (F.at == datetime(2024, 1, 1)).right == Value({"S": "2024-01-01T00:00:00"})
    assert (F.ratio > 0.1).right == Value({"N": "0.1"})


def test_names_that_equal_a_method_are_taken_by_index() -> None:
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


def test_a_name_with_an_underscore_in_front_is_no_attribute_of_f() -> None:
    with pytest.raises(AttributeError, match=r"F\['_x'\]"):
        F._x  # noqa: B018 - asking is the test


def test_a_condition_is_hashable_whatever_its_values() -> None:
    one, two = F.a == {"x": [1]}, F.a == {"x": [1]}

    assert len({one, two, F.a == {1}, F.a == None}) == 3  # noqa: E711


def test_the_same_name_is_placed_once() -> None:
    text, names, values = render((F.status == "x") & (F.status != "y") & (F.old == "x"))

    assert (text, names) == ("#n0 = :v0 AND #n0 <> :v1 AND #n1 = :v0", {"#n0": "status", "#n1": "old"})
    assert values == {":v0": {"S": "x"}, ":v1": {"S": "y"}}
