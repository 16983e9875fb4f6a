"""Attributes that only a vector index used, and that an index made later has with another type."""

from __future__ import annotations

from typing import Any

from pksk import GSI, Engine, N, Table, VectorIndex


def test_a_filter_of_a_deleted_vector_index_may_have_another_type_later() -> None:
    engine = Engine.open()
    near = VectorIndex("near", attribute="v", dimensions=2, filters=["size"])
    engine.call("CreateTable", Table("notes", indexes=[near]).create_request())
    _update(engine, VectorIndexUpdates=[{"Delete": {"IndexName": "near"}}])

    wanted = Table("notes", indexes=[GSI("by-size", pk=N("size"))]).create_request()
    create = wanted["GlobalSecondaryIndexes"][0]
    definitions = wanted["AttributeDefinitions"]
    _update(engine, AttributeDefinitions=definitions, GlobalSecondaryIndexUpdates=[{"Create": create}])

    described = engine.call("DescribeTable", {"TableName": "notes"})["Table"]
    assert {"AttributeName": "size", "AttributeType": "N"} in described["AttributeDefinitions"]


def _update(engine: Engine, **changes: Any) -> None:
    engine.call("UpdateTable", {"TableName": "notes", **changes})
