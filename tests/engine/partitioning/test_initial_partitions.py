"""The initial number of partitions of tables and indexes, and how raising throughput adds more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine
from tests.engine.state.catalogues import defined, index

from .partitioned_table import NAME, create, item, open_engine, put, scan


def _units(reads: int, writes: int) -> dict[str, int]:
    return {"ReadCapacityUnits": reads, "WriteCapacityUnits": writes}


def _provisioned(engine: Engine, reads: int, writes: int, index_writes: int = 1) -> Engine:
    gsi = index("by-status", "status", "sk", ProvisionedThroughput=_units(1, index_writes))
    units = _units(reads, writes)
    return create(
        engine, BillingMode="PROVISIONED", ProvisionedThroughput=units, GlobalSecondaryIndexes=[gsi]
    )


def _update(engine: Engine, **members: Any) -> None:
    engine.call("UpdateTable", {"TableName": NAME, **members})


def _count(engine: Engine, index_name: str | None = None) -> int:
    return len(engine.partitions(NAME, index_name))


def test_a_table_on_demand_and_its_index_begin_with_four_each() -> None:
    engine = create(open_engine())

    assert (_count(engine), _count(engine, "by-status")) == (4, 4)


def test_a_provisioned_table_and_its_index_have_partitions_for_their_own_units() -> None:
    engine = _provisioned(open_engine(), 5500, 1500, index_writes=2500)

    assert (_count(engine), _count(engine, "by-status")) == (4, 3)


def test_the_number_of_partitions_can_be_set() -> None:
    engine = create(open_engine(partitions=7))

    assert (_count(engine), _count(engine, "by-status")) == (7, 7)


def test_an_added_index_has_its_own_partitions() -> None:
    engine = create(open_engine(), indexed=False)
    added = index("added", "status")
    _update(
        engine,
        AttributeDefinitions=defined("status"),
        GlobalSecondaryIndexUpdates=[{"Create": added}],
    )

    assert _count(engine, "added") == 4


@pytest.mark.parametrize(("writes", "expected"), [(3600, 4), (3999, 4), (4000, 8), (6000, 8), (8000, 16)])
def test_units_above_the_capacity_of_partitions_split_each_of_them(writes: int, expected: int) -> None:
    engine = _provisioned(open_engine(), 1, 3200)
    assert _count(engine) == 4

    _update(engine, ProvisionedThroughput=_units(1, writes))

    assert _count(engine) == expected


def test_partitions_never_merge() -> None:
    engine = _provisioned(open_engine(), 1, 6000)
    before = engine.partitions(NAME)

    _update(engine, ProvisionedThroughput=_units(1, 1))

    assert engine.partitions(NAME) == before


def test_units_of_an_index_split_its_own_partitions_only() -> None:
    engine = _provisioned(open_engine(), 1, 1)
    units = {"IndexName": "by-status", "ProvisionedThroughput": _units(1, 1500)}
    _update(engine, GlobalSecondaryIndexUpdates=[{"Update": units}])

    assert (_count(engine), _count(engine, "by-status")) == (1, 2)


def test_switching_to_on_demand_brings_four_at_least() -> None:
    engine = _provisioned(open_engine(), 1, 1)
    _update(engine, BillingMode="PAY_PER_REQUEST")

    assert (_count(engine), _count(engine, "by-status")) == (4, 4)


def test_throughput_does_not_split_if_the_number_of_partitions_was_set() -> None:
    engine = _provisioned(open_engine(partitions=2), 1, 1)
    _update(engine, ProvisionedThroughput=_units(1, 9000))

    assert _count(engine) == 2


def test_raising_units_keeps_items_and_opens_child_shards() -> None:
    engine = _provisioned(open_engine(), 1, 1)
    _update(engine, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    put(engine, *(item(number, 0) for number in range(50)))
    before = scan(engine)

    _update(engine, ProvisionedThroughput=_units(1, 4000))

    assert scan(engine) == before
    shards = [part.shard for part in engine.partitions(NAME)]
    assert len(set(shards)) == 8
    assert None not in shards


def test_partitions_are_kept_after_reopening(tmp_path: Path) -> None:
    with create(open_engine(tmp_path / "tables.db")) as engine:
        put(engine, *(item(number, 0, status="open") for number in range(50)))
        engine.split(NAME, 2)
        engine.split(NAME, index="by-status")
        shown = [[(p.number, p.low, p.low_key, p.items) for p in engine.partitions(NAME, i)] for i in INDEXES]

    with open_engine(tmp_path / "tables.db") as again:
        assert [
            [(p.number, p.low, p.low_key, p.items) for p in again.partitions(NAME, i)] for i in INDEXES
        ] == shown


INDEXES = (None, "by-status")


def test_descriptions_do_not_mention_partitions() -> None:
    engine = create(open_engine())
    engine.split(NAME)

    described = engine.call("DescribeTable", {"TableName": NAME})
    assert "partitions" not in str(described)


WARM = {"ReadUnitsPerSecond": 30_000, "WriteUnitsPerSecond": 10_000}


def test_warm_throughput_needs_partitions_at_once() -> None:
    engine = create(open_engine(), WarmThroughput=WARM)

    assert (_count(engine), _count(engine, "by-status")) == (10, 4)


def test_raising_warm_throughput_splits_partitions_of_a_table_or_an_index() -> None:
    engine = create(open_engine())
    _update(engine, WarmThroughput=WARM)
    update = {"IndexName": "by-status", "WarmThroughput": {**WARM, "WriteUnitsPerSecond": 5000}}
    _update(engine, GlobalSecondaryIndexUpdates=[{"Update": update}])

    assert (_count(engine), _count(engine, "by-status")) == (16, 16)


def test_no_warm_throughput_makes_more_partitions_than_a_table_can_use() -> None:
    engine = create(open_engine(), WarmThroughput=dict.fromkeys(WARM, 10**12))

    assert _count(engine) == 40


def test_units_above_the_quota_are_rejected_before_partitions_are_created() -> None:
    engine = _provisioned(open_engine(), 1, 1)
    with pytest.raises(ServiceError, match="LimitExceededException"):
        _update(engine, ProvisionedThroughput=_units(1, 10**10))

    assert _count(engine) == 1
