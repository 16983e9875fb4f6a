"""A tree that is rendered and parsed again is the same tree."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.errors import ExpressionMisuse
from pksk.expressions import (
    F,
    Placeholders,
    parse_condition,
    parse_projection,
    parse_update,
    references,
    render,
    resolve,
    update,
)
from tests.expressions.strategies import CONDITIONS, PROJECTIONS, UPDATES

PLACEHOLDER = re.compile(r"[#:][A-Za-z0-9_]+")


@given(CONDITIONS)
def test_a_condition_is_the_same_after_rendering_and_parsing(tree: Any) -> None:
    text, names, values = render(tree)

    assert parse_condition(text, names, values) == tree


@given(UPDATES)
def test_an_update_is_the_same_after_rendering_and_parsing(tree: Any) -> None:
    text, names, values = render(tree)

    assert parse_update(text, names, values) == tree


@given(PROJECTIONS)
def test_a_projection_is_the_same_after_rendering_and_parsing(tree: Any) -> None:
    text, names, _ = render(tree)

    assert parse_projection(text, names) == tree


@given(CONDITIONS, UPDATES)
def test_a_tree_parsed_without_names_and_values_is_resolved_to_the_same(condition: Any, change: Any) -> None:
    text, names, values = render(condition)
    update_text, update_names, update_values = render(change)

    assert resolve(parse_condition(text), names, values) == condition
    assert resolve(parse_update(update_text), update_names, update_values) == change


@given(CONDITIONS)
def test_an_unresolved_tree_is_rendered_with_its_own_placeholders(tree: Any) -> None:
    text = render(tree).text
    unresolved = parse_condition(text)

    assert render(unresolved) == (text, {}, {})


@given(st.tuples(CONDITIONS, UPDATES, CONDITIONS, PROJECTIONS))
def test_expressions_of_a_request_share_placeholders(trees: Any) -> None:
    shared = Placeholders()
    texts = [render(tree, shared).text for tree in trees]
    used = {found for text in texts for found in PLACEHOLDER.findall(text)}

    assert used == {*shared.names, *shared.values}
    assert len(set(shared.names.values())) == len(shared.names)
    condition, change, filtered, projected = texts
    assert parse_condition(condition, shared.names, shared.values) == trees[0]
    assert parse_update(change, shared.names, shared.values) == trees[1]
    assert parse_condition(filtered, shared.names, shared.values) == trees[2]
    assert parse_projection(projected, shared.names) == trees[3]


@given(CONDITIONS)
def test_rendering_is_stable(tree: Any) -> None:
    assert render(tree) == render(tree)


@given(CONDITIONS, st.sampled_from([str.upper, str.lower, str.title]))
def test_keywords_are_parsed_in_any_case_with_any_whitespace(tree: Any, spell: Any) -> None:
    text, names, values = render(tree)
    respelled = re.sub(r"\b(AND|OR|NOT|IN|BETWEEN)\b", lambda found: spell(found[0]), text)

    assert parse_condition(respelled.replace(" ", " \t\r\n"), names, values) == tree


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        ((F.a == 1) & (F.b == 2) & (F.c == 3), "a = :v0 AND b = :v1 AND c = :v2"),
        ((F.a == 1) & ((F.b == 2) | (F.c == 3)), "a = :v0 AND (b = :v1 OR c = :v2)"),
        ((F.a == 1) & (F.b == 2) | (F.c == 3), "a = :v0 AND b = :v1 OR c = :v2"),
        (~((F.a == 1) & (F.b == 1)), "NOT (a = :v0 AND b = :v0)"),
        (~~(F.a < F.b), "NOT NOT a < b"),
        (F.a.is_in(1, 2), "a IN (:v0, :v1)"),
        (F["size"].size() > 3, "size(#n0) > :v0"),
        (F.lines[0].sku.exists(), "attribute_exists(#n0[0].sku)"),
        (F.a.between(1, 2), "a BETWEEN :v0 AND :v1"),
        (F.a.type("S"), "attribute_type(a, :v0)"),
        (
            update(F.a.set(1), F.b.remove(), F.c.add(1), F.d.delete({"x"})),
            "SET a = :v0 REMOVE b ADD c :v0 DELETE d :v1",
        ),
        (update(F.n.set(F.m - 1)), "SET n = m - :v0"),
        (update(F.n.set(1 + F.m)), "SET n = :v0 + m"),
        (update(F.n.set(5 - F.m)), "SET n = :v0 - m"),
        (update(F.n.increment(start=0)), "SET n = if_not_exists(n, :v0) + :v1"),
    ],
)
def test_the_text_has_no_more_parentheses_than_it_needs(tree: Any, text: str) -> None:
    assert render(tree).text == text


def test_a_placeholder_of_a_parsed_tree_is_not_used_for_another_name() -> None:
    shared = Placeholders()
    brought = render(parse_condition("#n0 = :v0 AND #n1 = :v1"), shared).text
    own = render((F["size"] == 1) & (F.name == 2), shared).text

    assert (brought, own) == ("#n0 = :v0 AND #n1 = :v1", "#n2 = :v2 AND #n3 = :v3")


def test_a_placeholder_that_is_already_in_use_raises() -> None:
    shared = Placeholders()
    render(F["size"] == 1, shared)

    with pytest.raises(ExpressionMisuse, match="Placeholder #n0 is already used"):
        render(parse_condition("#n0 = :x"), shared)


def test_equal_but_not_identical_values_keep_a_placeholder_each() -> None:
    tree = parse_condition(
        "a = :x OR a = :y OR a = :z", {}, {":x": {"N": "1"}, ":y": {"N": "1.0"}, ":z": {"S": "1"}}
    )

    assert list(render(tree).values.values()) == [{"N": "1"}, {"N": "1.0"}, {"S": "1"}]


def test_references_are_the_unresolved_placeholders() -> None:
    tree = parse_update("SET #a.b = if_not_exists(c.#d, :e) + :f REMOVE #g")

    assert references(tree) == ({"#a", "#d", "#g"}, {":e", ":f"})
