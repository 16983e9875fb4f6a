"""Every example in the explanations of changes is refused with the code that it explains."""

from __future__ import annotations

import re
from importlib.resources import files
from textwrap import dedent
from typing import Any

import pytest

import pksk
from pksk import Entity, Key, PkskError, Table, changes_of

TEXT = files(pksk).joinpath("explanations/changes.md").read_text("utf-8")
EXAMPLES = {
    section.splitlines()[0].strip(): dedent("\n".join(re.findall(r"(?m)^    .*$", section)))
    for section in TEXT.split("\n## ")[1:]
}

orders = Table("orders", stream=True)


class Order(Entity, table=orders):
    id: str
    total: int = 0
    primary = Key("ORDER#{id}", "META")


class Rush(Order, table=orders):
    hours: int = 24


def record(item: dict[str, Any]) -> dict[str, Any]:
    """What the stream says of a new item; keys are all that it shows of one that has nothing else."""
    keys = {name: item[name] for name in ("pk", "sk", "id") if name in item}
    shown = {"Keys": keys} if len(item) == len(keys) else {"Keys": keys, "NewImage": item}
    return {"eventName": "INSERT", "eventSource": "aws:dynamodb", "dynamodb": shown}


def every_change_of(*arguments: Any, **options: Any) -> None:
    for _ in changes_of(*arguments, **options):
        pass


NAMES: dict[str, Any] = {
    "Table": Table, "orders": orders, "Order": Order, "Rush": Rush, "record": record, "changes_of": every_change_of,
}  # fmt: skip


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_example_about_a_change_is_refused_with_that_code(code: str) -> None:
    with pytest.raises(PkskError) as caught:
        exec(EXAMPLES[code], dict(NAMES))

    assert caught.value.code == code
    assert caught.value.fix
