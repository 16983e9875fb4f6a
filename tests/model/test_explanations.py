"""Every example in the explanations of designs is refused with the code that it explains."""

from __future__ import annotations

import re
from datetime import date, datetime
from importlib.resources import files
from textwrap import dedent
from typing import Annotated, Any

import pytest

import pksk
from pksk import GSI, TTL, Attribute, Entity, Key, N, PkskError, Reference, Shard, Table, Version, between, gt

TEXT = files(pksk).joinpath("explanations/design.md").read_text("utf-8")
EXAMPLES = {
    section.splitlines()[0].strip(): dedent("\n".join(re.findall(r"(?m)^    .*$", section)))
    for section in TEXT.split("\n## ")[1:]
}

orders = Table(
    "orders",
    indexes=[
        GSI("by-status", pk="status", sk="day"),
        GSI("by-day", pk="bucket", sk="day"),
        GSI("by-total", pk=N("total"), projection="keys"),
    ],
)


class Order(Entity, table=orders):
    id: str
    total: int = 0
    status: str = "open"
    day: date = date(2025, 1, 1)
    ratio: float = 0.5
    note: Any = None
    primary = Key("ORDER#{id}", "META")
    by_status = Key("{status}", "{day}", index="by-status")
    by_day = Key("{day:%Y-%m}", "{day}", index="by-day")
    by_total = Key("{total}", index="by-total")


NAMES: dict[str, Any] = {
    "Entity": Entity, "Key": Key, "Table": Table, "GSI": GSI, "N": N, "Shard": Shard, "Attribute": Attribute,
    "Annotated": Annotated, "datetime": datetime, "Reference": Reference, "TTL": TTL, "Version": Version,
    "Order": Order, "gt": gt, "between": between, "date": date, "__name__": __name__,
}  # fmt: skip


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_example_about_a_design_is_refused_with_that_code(code: str) -> None:
    with pytest.raises(PkskError) as caught:
        # Not as this file is read: annotations in an example are evaluated where they stand.
        exec(compile(EXAMPLES[code], code, "exec", dont_inherit=True), dict(NAMES))

    assert caught.value.code == code
    assert caught.value.fix
