"""The interface that the primary key shares with every index."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from pksk.schema import ALL, GSI, LSI, N, Table, VectorIndex

ORDERS = Table(
    "orders",
    indexes=[
        GSI("by-tenant", pk=("tenant", "status"), sk=(N("day"), "sk"), projection=["total", "note"]),
        GSI("by-email", pk="email", projection="keys"),
        LSI("by-total", sk=N("total"), projection=["note"]),
        VectorIndex(
            "near", attribute="embedding", dimensions=3, pk="tenant", filters=["lang"], projection=["note"]
        ),
    ],
)


@pytest.mark.parametrize(
    ("name", "kind", "partition", "sort", "projected"),
    [
        (None, "table", ("pk",), ("sk",), ALL),
        ("by-tenant", "gsi", ("tenant", "status"), ("day", "sk"), "tenant status day sk pk total note"),
        ("by-email", "gsi", ("email",), (), "email pk sk"),
        ("by-total", "lsi", ("pk",), ("total",), "pk sk total note"),
        ("near", "vector", ("tenant",), (), "tenant lang pk sk embedding note"),
    ],
)
def test_the_primary_key_and_indexes_have_the_same_interface(
    name: str | None, kind: str, partition: tuple[str, ...], sort: tuple[str, ...], projected: object
) -> None:
    index = ORDERS.index(name)
    expected = frozenset(projected.split()) if isinstance(projected, str) else projected

    assert (index.name, index.kind, index.partition, index.sort) == (name, kind, partition, sort)
    assert index.projected == expected
    assert index.projects("note") is (name != "by-email")
    assert index.projects("something else") is (name is None)


def test_query_reads_all_but_vector_indexes() -> None:
    assert [index.name for index in ORDERS.queryable] == [None, "by-tenant", "by-email", "by-total"]


def test_an_index_can_be_declared_once_and_used_in_two_tables() -> None:
    shared = LSI("by-day", sk="day")
    first = Table("first", pk="a", indexes=[shared])
    second = Table("second", pk="b", indexes=[shared])

    assert (first.index("by-day").partition, second.index("by-day").partition) == (("a",), ("b",))
    assert shared.partition == ()
    assert first.indexes == (shared,)


def test_the_order_of_projected_attributes_does_not_matter() -> None:
    assert GSI("by-day", pk="day", projection=["b", "a"]) == GSI("by-day", pk="day", projection=("a", "b"))


def test_a_number_and_a_text_are_different_keys() -> None:
    assert GSI("by-day", pk="day") != GSI("by-day", pk=N("day"))
    assert Table("orders", pk="day") != Table("orders", pk=N("day"))


def test_a_declaration_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        ORDERS.index("by-email").name = "other"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        ORDERS.name = "other"  # type: ignore[misc]
