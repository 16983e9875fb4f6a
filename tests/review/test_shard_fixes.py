"""The field by which a fix shards a key: one that differs from item to item."""

from __future__ import annotations

import pytest

from tests.review.designs import review_of

_METRICS = """
    metrics = Table("metrics")

    class Metric(Entity, table=metrics):
        {fields}
        value: int
        primary = Key("METRIC#{{minute:%Y-%m-%dT%H:%M}}", "{sort}", {identity}="minute")

        @access(rate=2500, item_size=120)
        @classmethod
        def add(cls, metric: "Metric") -> Put["Metric"]:
            return Put(metric)
    """
_MINUTE = "minute: AwareDatetime"


@pytest.mark.parametrize(
    ("fields", "sort", "of"),
    [
        (("kind: str", "host: str"), "{kind}#{host}", "'host'"),
        (("host: str", "device_id: str"), "{host}#{device_id}", "'device_id'"),
        (("day: date", "host: str"), "{day}#{host}", "'host'"),
        (("kind: str",), "{kind}", "..."),
    ],
)
def test_a_fix_shards_by_a_field_that_differs(fields: tuple[str, ...], sort: str, of: str) -> None:
    declared = "\n        ".join((_MINUTE, *fields))
    found = review_of(_METRICS.format(fields=declared, sort=sort, identity="one_per_bucket"))

    (fix,) = [each.fix for each in found.findings if each.rule == "time-partition-key"]
    assert fix.endswith(f"shard=Shard(6, of={of}).")
