"""Prices of calls over the very items concerned, through requests as an application writes them."""

from __future__ import annotations

from typing import Any

import pytest

from pksk import GSI, LSI, Entity, F, InvalidValue, Key, Put, Table, batch, transaction

table = Table(
    "priced",
    indexes=[GSI("gsi-inc", pk="gsiPk", projection=["proj"]), LSI("lsi", sk="lsiSk")],
    discriminator=None,
)


class Row(Entity, table=table):
    id: str
    g: str | None = None
    s: str | None = None
    proj: str | None = None
    other: str | None = None
    primary = Key("{id}", "sk")
    by_g = Key("{g}", index="gsi-inc")
    by_s = Key("{id}", "{s}", index="lsi")


def row(**fields: Any) -> Row:
    return Row(id="a", **fields)


def units(cost: Any) -> tuple[float, float, float, float]:
    """Total, table, global and local index, as DynamoDB reports them."""
    arms = [cost.arm("priced", index).write for index in (None, "gsi-inc", "lsi")]
    return (cost.write, arms[0], arms[1], arms[2])


BOTH = row(g="g", s="s", proj="p")
ONE = Row.primary.update(id="a")

WRITES: dict[str, tuple[Any, Any, Any]] = {
    "put only in the global index": (Put(row(g="g")), None, (2, 1, 1, 0)),
    "put in neither": (Put(row()), None, (1, 1, 0, 0)),
    "put only in the local index": (Put(row(s="s")), None, (2, 1, 0, 1)),
    "put in both": (Put(BOTH), None, (3, 1, 1, 1)),
    "identical overwrite": (Put(BOTH), BOTH, (1, 1, 0, 0)),
    "update outside the projection": (ONE.set(other="x"), BOTH, (2, 1, 0, 1)),
    "update of what is projected": (ONE.set(proj="x"), BOTH, (3, 1, 1, 1)),
    "move in the global index": (ONE.set(g="h"), BOTH, (4, 1, 2, 1)),
    "leave the global index": (ONE.remove("g"), BOTH, (3, 1, 1, 1)),
    "move in the local index": (ONE.set(s="t"), BOTH, (3, 1, 0, 2)),
    "delete from both": (Row.primary.delete(id="a"), BOTH, (3, 1, 1, 1)),
    "delete from neither": (Row.primary.delete(id="a"), row(), (1, 1, 0, 0)),
    "delete what is not there": (Row.primary.delete(id="a"), None, (1, 1, 0, 0)),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_is_charged_to_the_table_and_to_each_index_that_it_changes(name: str) -> None:
    write, before, expected = WRITES[name]

    assert units(write.priced(before)) == expected


TRANSACTIONS: dict[str, tuple[Any, Any, Any]] = {
    "put in the global index": (Put(row(g="g")), None, (3, 2, 1, 0)),
    "put in both": (Put(BOTH), None, (4, 2, 1, 1)),
    "identical": (Put(BOTH), BOTH, (2, 2, 0, 0)),
    "update outside the projection": (ONE.set(other="x"), BOTH, (3, 2, 0, 1)),
    "move in the global index": (ONE.set(g="h"), BOTH, (5, 2, 2, 1)),
    "delete from both": (Row.primary.delete(id="a"), BOTH, (4, 2, 1, 1)),
    "check": (Row.primary.check(id="a"), BOTH, (2, 2, 0, 0)),
    "delete what is not there": (Row.primary.delete(id="a"), None, (2, 2, 0, 0)),
    "check of 3 KB": (Row.primary.check(id="a"), row(other="x" * 2900), (6, 6, 0, 0)),
    "shrink from 3 KB": (Put(row()), row(other="x" * 2900), (6, 6, 0, 0)),
}


@pytest.mark.parametrize("name", TRANSACTIONS)
def test_a_transaction_doubles_the_table_and_no_index(name: str) -> None:
    write, before, expected = TRANSACTIONS[name]

    assert units(transaction(write).priced(before)) == expected


def test_a_batch_rounds_each_item_for_itself() -> None:
    puts = [Put(Row(id="a", other="x" * 400)), Put(Row(id="b", other="x" * 3400))]

    assert batch(*puts).priced(None, None).write == 5


def test_reads_are_charged_by_what_they_evaluate() -> None:
    rows = [Row(id="a", other="x" * 1000) for _ in range(10)]
    size = 1000 + 20

    assert Row.primary.get(id="a").priced(None).read == 0.5
    assert Row.primary.get(id="a").consistently().priced(rows[0]).read == 1
    assert Row.primary(id="a").priced(rows).read == -(-10 * size // 4096) / 2
    assert Row.primary(id="a").filter(F.proj == "x").priced(rows).read == -(-10 * size // 4096) / 2
    assert Row.primary(id="a").pages(5).priced(rows).read == 2 * -(-5 * size // 4096) / 2
    assert transaction(Row.primary.get(id="a"), Row.primary.get(id="b")).priced(rows[0], None).read == 4


def test_the_second_read_of_hydration_is_priced() -> None:
    rows = [Row(id=str(number), g="g", other="x" * 5000) for number in range(4)]
    cost = Row.by_g(g="g").hydrate().priced(rows)

    assert cost.arm("priced", "gsi-inc").read == 0.5
    assert cost.arm("priced").read == 4 * 1


def test_images_are_counted() -> None:
    with pytest.raises(InvalidValue, match="priced over 2 items, where it meets 1"):
        Put(row()).priced(None, None)
