"""Mechanical fixes: where edits go in differently written source, what is imported, and the diff."""

from __future__ import annotations

import subprocess
from importlib import import_module
from pathlib import Path
from time import process_time
from types import ModuleType

import pytest

from pksk.review import Finding, review
from tests.review.designs import tables_of

_ORDERS = """
shop = Table("shop", indexes=[GSI("by-status", pk="g1", sk="g2")])


class Order(Entity, table=shop, items=1_000_000):
    order_id: str
    status: Literal["open", "paid"]
    primary = Key("ORDER#{order_id}", "META")
    by_status = BY_STATUS

    @ACCESS(rate=5000, item_size=400)
    @classmethod
    def add(cls, order: "Order") -> Put["Order"]:
        return Put(order)
"""
_LITERAL = "from typing import Literal\n\n"
_ONE_LINE = "from pksk import GSI, Entity, Key, Put, Table, access\n"
_ONE_NAME_A_LINE = (
    "from pksk import (\n    GSI,\n    Entity,\n    Key,\n    Put,\n    Table,\n    access,\n)\n"
)
_MODULE = "import pksk\nfrom pksk import GSI, Entity, Key, Put, Table, access\n"
_LATE = "from pksk import GSI, Entity, Put, Table, access\nfrom pksk import Key\n"
_KEY = 'Key("{status}", "{order_id}", index="by-status")'
_LONG_KEY = """Key(
        "{status}",
        "{order_id}",
        index="by-status",  # the list of the shop
    )"""


def finding(folder: Path, imports: str, key: str, monkeypatch: pytest.MonkeyPatch) -> Finding:
    text = _LITERAL + imports + _ORDERS.replace("BY_STATUS", key).replace("ACCESS", "access")
    name = f"orders_{abs(hash((imports, key, str(folder))))}"
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.chdir(folder)
    module: ModuleType = import_module(name)
    (found,) = [each for each in review(module.shop).findings if each.rule == "few-partition-keys"]
    return found


@pytest.mark.parametrize(
    ("imports", "key", "changed", "imported"),
    [
        (_ONE_LINE, _KEY, "Shard(10, of=", "from pksk import GSI, Entity, Key, Put, Shard, Table, access\n"),
        (_ONE_NAME_A_LINE, _KEY, "Shard(10, of=", "    Put,\n    Shard,\n    Table,\n"),
        (_MODULE, f"pksk.{_KEY}", "pksk.Shard(10, of=", _MODULE),
        (_LATE, _KEY, "Shard(10, of=", "from pksk import Key, Shard\n"),
        (
            _ONE_LINE,
            _LONG_KEY,
            '        index="by-status",\n        shard=Shard(10, of="order_id"),  # the list of the shop\n',
            "Put, Shard, Table",
        ),
        (
            _ONE_LINE,
            'Key(sk="{order_id}", pk="{status}", index="by-status")',
            'pk="{status}#{shard}"',
            "Shard",
        ),
        (_ONE_LINE, f"(  {_KEY}  )  # é", "Shard(10", "Shard"),
    ],
)
def test_a_fix_follows_the_way_in_which_the_source_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, imports: str, key: str, changed: str, imported: str
) -> None:
    found = finding(tmp_path, imports, key, monkeypatch)

    assert found.change is not None
    (text,) = found.change.new_texts.values()
    assert changed in text
    assert imported in text


@pytest.mark.parametrize(
    "key",
    [
        'Key(f"{{status}}", "{order_id}", index="by-status")',
        'Key(("{status}"), *["{order_id}"], index="by-status") if True else Key("{status}", "{order_id}", index="x")',
        'Key("{stat" "us}", "{order_id}", **{"index": "by-status"})',
    ],
)
def test_a_declaration_that_is_not_plain_has_no_mechanical_fix_or_a_right_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    found = finding(tmp_path, _ONE_LINE, key, monkeypatch)

    for text in found.change.new_texts.values() if found.change else ():
        assert '"us}#{shard}"' in text


def test_git_applies_the_diff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = finding(tmp_path, _ONE_LINE, _LONG_KEY, monkeypatch)
    assert found.change is not None
    subprocess.run(["git", "apply", "-"], input=found.change.diff, text=True, check=True, cwd=tmp_path)

    (file, text), *_ = found.change.new_texts.items()
    assert Path(file).read_text("utf-8") == text


_USER = """
class User{n}(Entity, table=shop, items=1_000_000):
    user_id: str
    kind: Literal["a", "b"]
    primary = Key("USER{n}", "{{user_id}}")
    by_kind = Key("U{n}#{{kind}}", "{{user_id}}", index="all")

    @access(rate=5000, item_size=400)
    @classmethod
    def add(cls, user: "User{n}") -> Put["User{n}"]:
        return Put(user)

    @access(rate=5, items=10, item_size=400)
    @classmethod
    def all(cls, kind: Literal["a", "b"]) -> Query["User{n}"]:
        return cls.by_kind(kind=kind).limit(10)
"""


def test_a_hundred_entities_with_two_hundred_fixes_are_reviewed_in_two_seconds() -> None:
    table = 'shop = Table("shop", indexes=[GSI("all", pk="g1", sk="g2")])\n'
    tables = tables_of(table + "".join(_USER.format(n=number) for number in range(100)))
    started = process_time()
    found = review(*tables)

    assert process_time() - started < 2
    assert sum(each.change is not None for each in found.findings) == 200
