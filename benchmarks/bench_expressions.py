"""Parsing, rendering and deciding expressions, beside boto3's builder of conditions where it does the same."""

from __future__ import annotations

import sys
from typing import Any

from boto3.dynamodb.conditions import Attr, ConditionExpressionBuilder

from benchmarks.timing import Row, row
from pksk.expressions import (
    F,
    apply,
    evaluate,
    parse_condition,
    parse_projection,
    parse_update,
    render,
    resolve,
    update,
)
from pksk.values import item_to_wire

CONDITION = "#s = :open AND amount > :low AND begins_with(sk, :start)"
NAMES = {"#s": "status"}
VALUES: dict[str, Any] = {":open": {"S": "open"}, ":low": {"N": "10"}, ":start": {"S": "ORDER#"}}
UPDATE = "SET amount = amount + :low, #s = :open REMOVE note"
LONG = " OR ".join(f"attribute_{number} = :open" for number in range(140))
ITEM = item_to_wire({"status": "open", "amount": 12, "sk": "ORDER#17", "note": "x", "lines": [{"sku": "a"}]})


def _ours() -> Any:
    return (F.status == "open") & (F.amount > 10) & F.sk.begins("ORDER#")


def _boto3() -> Any:
    return Attr("status").eq("open") & Attr("amount").gt(10) & Attr("sk").begins_with("ORDER#")


def run(quick: bool = False) -> list[Row]:
    """One row for each step of an expression's life."""
    unresolved = parse_condition(CONDITION)
    condition = parse_condition(CONDITION, NAMES, VALUES)
    change = parse_update(UPDATE, NAMES, {":low": VALUES[":low"], ":open": VALUES[":open"]})
    built, theirs = _ours(), _boto3()
    return [
        row("parse a condition of 3 tests", lambda: parse_condition(CONDITION, NAMES, VALUES), quick=quick),
        row("parse it without names and values", lambda: parse_condition(CONDITION), quick=quick),
        row("resolve it", lambda: resolve(unresolved, NAMES, VALUES), quick=quick),
        row("parse an update of 3 actions", lambda: parse_update(UPDATE), quick=quick),
        row(
            "parse a projection of 3 paths", lambda: parse_projection("id, amount, parts[0].sku"), quick=quick
        ),
        row(f"parse a condition of {len(LONG):,} bytes", lambda: parse_condition(LONG), quick=quick),
        row("build a condition of 3 tests", _ours, "boto3", _boto3, quick=quick),
        row(
            "render it",
            lambda: render(built),
            "boto3",
            lambda: ConditionExpressionBuilder().build_expression(theirs),
            quick=quick,
        ),
        row("build an update", lambda: update(F.amount.increment(), F.note.remove()), quick=quick),
        row("decide a condition of 3 tests", lambda: evaluate(condition, ITEM), quick=quick),
        row("apply an update of 3 actions", lambda: apply(change, ITEM), quick=quick),
    ]


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["expressions", *sys.argv[1:]]))
