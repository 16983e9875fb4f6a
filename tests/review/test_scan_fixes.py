"""The fix of a scan: the key that serves its filter, the key that is too fine for it, or a new key."""

from __future__ import annotations

import pytest

from tests.review.designs import review_of

_EVENTS = """
    events = Table("events", indexes=[GSI("by-kind", pk="g1", sk="g2")])

    class Event(Entity, table=events, items=1_000_000):
        user: str
        at: AwareDatetime
        kind: str
        place: str
        paid: bool
        primary = Key("{key}", "{sort}")
        by_kind = Key("{{kind}}", "{{at}}", index="by-kind")

        @access(rate=5, item_size=400)
        @classmethod
        def found(cls, text: str) -> Scan["Event"]:
            return cls.scan().filter({condition})
    """


@pytest.mark.parametrize(
    ("key", "condition", "fix"),
    [
        ("{user}", "F.user == text", "query primary, which finds items by user."),
        ("{place}", "(F.kind == text) & (F.user == text)", "query by_kind, which finds items by kind."),
        (
            "{user}#{at}",
            "F.user == text",
            "the partition key of primary is too fine for this: keep user in it, and move at to the sort key.",
        ),
        ("{user}", "F.place == text", "add a key that finds items by place, and query that."),
        (
            "{user}",
            "F.paid == False",
            "add a sparse key of an index, which only items that the filter accepts have (when=), and query that.",
        ),
        ("{user}", "F.user != text", "add a key that finds items by user, and query that."),
    ],
)
def test_a_scan_is_replaced_by_a_query_of_the_key_that_fits(key: str, condition: str, fix: str) -> None:
    found = review_of(_EVENTS.format(key=key, sort="{place}", condition=condition))

    assert [each.fix for each in found.findings if each.rule == "scan"] == [fix]
