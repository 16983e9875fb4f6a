"""The field by which a fix shards a key: one that differs from item to item."""

from __future__ import annotations

import pytest

from tests.review.designs import review_of
from tests.review.traces import writes

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


_LIKES = """
    posts = Table("posts")

    class Author(Entity, table=posts):
        author: Annotated[str, Spread(values=1_000_000)]
        number: int
        primary = Key("AUTHOR#{{author}}", "{{number:06d}}")

        @access(rate=10, item_size=400)
        @classmethod
        def add(cls, author: "Author") -> Put["Author"]:
            return Put(author)

    class Post(Entity, table=posts, items=1_000_000):
        post: {type}
        likes: int = 0
        primary = Key("POST#{{post}}", "POST")

        @access(rate=4000, item_size=400)
        @classmethod
        def like(cls, post: {argument}) -> Update["Post"]:
            return cls.primary.update(post=post).add(likes=1)
    """
_STATES = 'Literal["open", "done"]'


@pytest.mark.parametrize(
    ("rule", "kind", "argument"),
    [
        ("busy-partition-key", "Annotated[str, Spread(values=1_000_000, largest=0.5)]", "str"),
        ("few-partition-keys", _STATES, _STATES),
        ("hot-key", "str", "str"),
    ],
)
def test_no_shard_is_suggested_for_a_single_item(rule: str, kind: str, argument: str) -> None:
    trace = writes("posts", ["POST#1"] * 400) if rule == "hot-key" else None
    found = review_of(_LIKES.format(type=kind, argument=argument), trace=trace)

    (one,) = [each for each in found.findings if each.rule == rule]
    assert one.fix == "divide the item into several and add these up when reading, or write it less often."
    assert one.change is None
    assert any(line.endswith("which no split raises: it is one item") for line in one.evidence)
