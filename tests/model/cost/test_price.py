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
    arms = [cost.charge_of("priced", index).write for index in (None, "gsi-inc", "lsi")]
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

    assert units(write.price(before)) == expected


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

    assert units(transaction(write).price(before)) == expected


def test_a_batch_rounds_each_item_for_itself() -> None:
    puts = [Put(Row(id="a", other="x" * 400)), Put(Row(id="b", other="x" * 3400))]

    assert batch(*puts).price(None, None).write == 5


def test_reads_are_charged_by_what_they_evaluate() -> None:
    rows = [Row(id="a", other="x" * 1000) for _ in range(10)]
    size = 1000 + 20

    assert Row.primary.get(id="a").price(None).read == 0.5
    assert Row.primary.get(id="a").consistently().price(rows[0]).read == 1
    assert Row.primary(id="a").price(rows).read == -(-10 * size // 4096) / 2
    assert Row.primary(id="a").filter(F.proj == "x").price(rows).read == -(-10 * size // 4096) / 2
    assert Row.primary(id="a").pages(6).price(rows).read == (-(-6 * size // 4096) + -(-4 * size // 4096)) / 2
    assert Row.primary(id="a").pages(5).price(rows).read == 2 * -(-5 * size // 4096) / 2 + 0.5
    assert transaction(Row.primary.get(id="a"), Row.primary.get(id="b")).price(rows[0], None).read == 4


def test_the_second_read_of_hydration_is_priced() -> None:
    rows = [Row(id=str(number), g="g", other="x" * 5000) for number in range(4)]
    cost = Row.by_g(g="g").hydrate().price(rows)

    assert cost.charge_of("priced", "gsi-inc").read == 0.5
    assert cost.charge_of("priced").read == 4 * 1


def test_images_are_counted() -> None:
    with pytest.raises(InvalidValue, match="priced over 2 items, where it meets 1"):
        Put(row()).price(None, None)


BIG = row(other="x" * 2900)
FAILING: dict[str, tuple[Any, Any, float]] = {
    "a put over an item": (Put(row()).if_absent(), BIG, 3),
    "a put that is larger than the item": (Put(BIG).if_absent(), row(), 3),
    "an update of no item": (ONE.set(other="x"), None, 1),
    "an update under a condition": (ONE.set(g="h").when(F.other == "y"), BOTH, 1),
    "a change inside of nothing": (ONE.apply(F.proj.inner.set(1)), None, 1),
    "a delete": (Row.primary.delete(id="a").when(F.other == "y"), BIG, 3),
    "a delete of no item": (Row.primary.delete(id="a").if_present(), None, 1),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_write_whose_condition_fails_costs_at_most_its_larger_image(name: str) -> None:
    write, before, expected = FAILING[name]
    cost = write.price(before)

    assert cost.at_most
    assert units(cost) == (expected, expected, 0, 0)


def test_a_condition_that_holds_changes_nothing() -> None:
    assert Put(row(g="g")).if_absent().price(None) == Put(row(g="g")).price(None)
    assert ONE.set(g="h").when(F.proj == "p").price(BOTH) == ONE.set(g="h").price(BOTH)


def test_a_cancelled_transaction_costs_at_most_the_table_of_each_member() -> None:
    members: list[Any] = [Put(Row(id="b", g="g", other="x" * 1500)), Row.primary.check(id="a")]

    done, cancelled = (transaction(*members).price(None, stored) for stored in (BIG, None))

    assert units(done) == (4 + 6 + 1, 10, 1, 0)
    assert not done.at_most
    assert units(cancelled) == (4 + 2, 6, 0, 0)
    assert cancelled.at_most


class Joined(Entity, table=Table("joined", indexes=[GSI("both", pk="g1")])):
    id: str
    state: str | None = None
    note: str = ""
    text: str = ""
    primary = Key("{id}", "sk")
    both = Key("{state}#{note}", index="both")


def test_an_update_that_must_read_first_is_priced_with_its_read() -> None:
    update = Joined.primary.update(id="a").set(state="x")
    stored = Joined(id="a", state="y", note="n", text="x" * 5000)

    cost = update.price(stored)

    assert update.fields_to_read == ("note",)
    assert (cost.read, cost.write, cost.at_most) == (2, 5 + 2 * 5, False)
    assert transaction(update).price(stored).read == 2


def test_an_update_that_must_read_first_costs_the_read_where_there_is_no_item() -> None:
    cost = Joined.primary.update(id="a").set(state="x").price(None)

    assert (cost.read, cost.write, cost.at_most) == (1, 1, True)


def test_an_upsert_that_sets_nothing_is_priced() -> None:
    class Flag(Entity, table=Table("flags", sk=None, discriminator=None)):
        pk: str
        primary = Key("{pk}")

    assert Flag.primary.update(pk="a").upsert().price(None).write == 1


def test_binary_values_are_compared_by_their_bytes() -> None:
    class Blob(Entity, table=Table("blobs")):
        id: str
        data: bytes = b""
        primary = Key("{id}", "sk")

    update = Blob.primary.update(id="a").set(data=b"new").when(F.data == b"\x00\xff")

    assert not update.price(Blob(id="a", data=b"\x00\xff")).at_most
    assert not update.price({"pk": {"S": "a"}, "data": {"B": b"\x00\xff"}}).at_most
    assert update.price(Blob(id="a", data=b"old")).at_most


@pytest.mark.parametrize("image", [1, "x", [1], {"pk": "x"}, {"pk": {}}])
def test_a_value_that_is_not_an_item_raises(image: Any) -> None:
    with pytest.raises(InvalidValue):
        Put(row()).price(image)
    with pytest.raises(InvalidValue):
        Row.primary(id="a").price([image])


def test_a_query_takes_lists() -> None:
    with pytest.raises(InvalidValue, match="is not a list of items"):
        Row.primary(id="a").price(row())


sparse = Table("sparse", indexes=[GSI("some", pk="g1", sk="g2", projection=["x"])])


class Sparse(Entity, table=sparse):
    id: str
    x: int
    big: str = ""
    primary = Key("S#{id}", "META")
    some = Key("ALL", "{id}", index="some", when=F.x < 50)


def test_hydration_reads_the_rows_that_come_back() -> None:
    rows = [Sparse(id=str(number), x=number, big="y" * 3000) for number in range(10)]
    outside = Sparse(id="x", x=99, big="y" * 3000)

    def read(query: Any, items: Any) -> tuple[float, float]:
        cost = query.hydrate().price(items)
        return cost.charge_of("sparse", None).read, cost.charge_of("sparse", "some").read

    assert read(Sparse.some(), [*rows, outside]) == (5, 0.5)
    assert read(Sparse.some().filter(F.x == 1), rows) == (0.5, 0.5)
    assert read(Sparse.some().filter(F.x == 77), rows) == (0, 0.5)
    assert read(Sparse.some(), [outside]) == (0, 0.5)
    assert read(Sparse.some(), []) == (0, 0.5)
