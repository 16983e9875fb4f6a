"""UpdateTable: vector indexes are added and deleted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.state.catalogues import NAME, Opened, defined, searched, units, vector

INVALID = "One or more parameter values were invalid: "


def opened(**delays: float) -> Opened:
    made = Opened(**delays)
    made.create()
    return made


def test_a_vector_index_is_added_and_removed() -> None:
    engine = opened(update_table=2, backfill=3)
    create = vector(SearchSchema=searched(tenant="HASH"))
    engine.update(AttributeDefinitions=defined("tenant"), VectorIndexUpdates=[{"Create": create}])

    states = []
    for seconds in (0, 2, 3):
        engine.clock.now += seconds
        (made,) = engine.describe()["VectorIndexes"]
        states.append((made["IndexStatus"], made.get("Backfilling")))
    assert states == [("CREATING", False), ("CREATING", True), ("ACTIVE", None)]
    assert engine.describe()["AttributeDefinitions"] == defined("pk", "tenant")
    assert set(engine.catalogue.table(NAME).vectors) == {"near"}

    engine.update(VectorIndexUpdates=[{"Delete": {"IndexName": "near"}}])
    engine.clock.now += 2
    assert "VectorIndexes" not in engine.describe()


@pytest.mark.parametrize(
    ("update", "text"),
    [
        (
            {"Create": vector(SearchSchema=searched(tenant="HASH"))},
            "One element in SearchSchema is not defined",
        ),
        ({"Create": vector(Dimensions=5000)}, "Number of dimensions must be between 1 and 4096 inclusive."),
        ({"Create": vector("first")}, "Attempting to create an index which already exists"),
        (
            {"Create": vector(Dimensions=4)},
            "Existing schema: VectorIndexSchema:[VectorAttribute: key{embedding:L:3}] "
            "New schema: VectorIndexSchema:[VectorAttribute: key{embedding:L:4}]",
        ),
        (
            {"Create": vector(VectorAttribute={"AttributeName": "pk"})},
            "Existing schema: Schema:[SchemaElement: key{pk:S:HASH}] "
            "New schema: VectorIndexSchema:[VectorAttribute: key{pk:L:3}]",
        ),
    ],
)
def test_a_new_vector_index_is_checked(update: dict[str, Any], text: str) -> None:
    engine = Opened()
    engine.create(VectorIndexes=[vector("first")])

    assert text in engine.invalid("UpdateTable", {"TableName": NAME, "VectorIndexUpdates": [update]})


def test_a_table_with_vector_indexes_stays_on_demand() -> None:
    engine = Opened()
    engine.create(VectorIndexes=[vector()])

    message = engine.invalid(
        "UpdateTable",
        {"TableName": NAME, "BillingMode": "PROVISIONED", "ProvisionedThroughput": units()},
    )

    assert message == f"{INVALID}Tables with vector indexes must be in PAY_PER_REQUEST mode"


def test_a_table_can_switch_to_on_demand_together_with_its_first_vector_index() -> None:
    engine = Opened()
    engine.create(BillingMode="PROVISIONED", ProvisionedThroughput=units())

    alone = engine.invalid("UpdateTable", {"TableName": NAME, "VectorIndexUpdates": [{"Create": vector()}]})
    engine.update(BillingMode="PAY_PER_REQUEST", VectorIndexUpdates=[{"Create": vector()}])

    assert alone.endswith("for PAY_PER_REQUEST tables")
    assert engine.describe()["VectorIndexes"][0]["IndexStatus"] == "ACTIVE"
