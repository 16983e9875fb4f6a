"""What findings say: fixes that fit the queries of a design, evidence, and what is not known."""

from __future__ import annotations

import pytest

from pksk import DesignError
from pksk.model.bill.key_loads import load_text
from tests.review.designs import review_of

_PLAYERS = """
    game = Table("game", indexes=[GSI("scores", pk="g1", sk="g2")])

    class Player(Entity, table=game):
        player_id: str
        score: int = 0
        primary = Key("PLAYER#{player_id}", "PLAYER")
        leaderboard = Key("GLOBAL", "{score:010d}#{player_id}", index="scores")

        @access(rate=4000, item_size=300)
        @classmethod
        def scored(cls, player_id: str, score: int) -> Update["Player"]:
            return cls.primary.update(player_id=player_id).set(score=score)
    """
_TOP = """
        @access(rate=300, items=100)
        @classmethod
        def top(cls) -> Query["Player"]:
            return cls.leaderboard().reverse().limit(100)
    """


def fix_of(source: str, rule: str) -> str:
    (found,) = (each for each in review_of(source).findings if each.rule == rule)
    return found.fix


def test_a_key_whose_queries_read_all_items_is_sharded_by_what_identifies_an_item() -> None:
    fix = fix_of(_PLAYERS + _TOP, "constant-partition-key")

    assert fix == "its queries read all items, so shard the key: shard=Shard(16, of='player_id')."


def test_a_key_that_no_query_lists_gets_a_field() -> None:
    fix = fix_of(_PLAYERS, "constant-partition-key")

    assert fix.startswith("put {player_id} into the partition key; to list all items, shard the key")


def test_a_list_of_an_unknown_number_of_items_may_be_sharded_or_bounded() -> None:
    source = (_PLAYERS + _TOP).replace("rate=4000, ", "").replace("rate=300, ", "")
    fix = fix_of(source, "constant-partition-key")

    assert fix.startswith(
        "its queries read all items, so shard the key: shard=Shard(4, of='player_id'); or if"
    )


def test_shards_are_by_what_differs_within_a_key() -> None:
    """The site of a device is the same in all of its readings."""
    fix = fix_of(
        """
        iot = Table("iot", indexes=[LSI("by-value", sk="value_key")])

        class Reading(Entity, table=iot):
            device: Annotated[str, Spread(values=500, zipf=1.1)]
            at: AwareDatetime
            site: str
            primary = Key("{device}", "{at}")

            @access(rate=8000, item_size=300)
            @classmethod
            def add(cls, reading: "Reading") -> Put["Reading"]:
                return Put(reading)
        """,
        "busy-partition-key",
    )

    assert fix == "divide the key by another field, or shard it: shard=Shard(4, of='at')."


def test_a_pattern_whose_example_call_fails_is_not_reviewed() -> None:
    found = review_of(
        """
        shop = Table("shop")

        class Order(Entity, table=shop):
            customer: str
            day: date
            primary = Key("{customer}", "{day}")

            @access(rate=1, items=5)
            @classmethod
            def of_month(cls, customer: str, month: str) -> Query["Order"]:
                return cls.primary(customer=customer, day=begins(month))
        """
    )

    assert found.not_reviewed == (
        (
            "an example call that works (example=), as this one does not: Order.primary: begins('month') on field "
            "'day' is not the start of a date",
            ("Order.of_month",),
        ),
    )


def test_an_update_of_a_key_field_is_rejected_when_its_access_pattern_is_declared() -> None:
    with pytest.raises(DesignError, match="status is part of the primary key, which an update cannot change"):
        review_of(
            """
            class Order(Entity, table=Table("shop")):
                customer: str
                status: str
                primary = Key("{customer}", "{status}")

                @access(rate=1)
                @classmethod
                def send(cls, customer: str) -> Update["Order"]:
                    return cls.primary.update(customer=customer, status="open").set(status="sent")
            """
        )


def test_an_index_that_no_entity_can_be_in_is_called_empty() -> None:
    (found,) = review_of(
        """
        shop = Table("shop", indexes=[GSI("later", pk="g1", sk="g2")])

        class Order(Entity, table=shop, items=10):
            customer: str
            primary = Key("{customer}", "ORDER")

            @access(rate=1)
            @classmethod
            def one(cls, customer: str) -> Get["Order"]:
                return cls.primary.get(customer=customer)
        """
    ).findings

    assert (found.rule, found.evidence) == (
        "unused-index",
        ("no entity has its key attributes, so it is empty",),
    )


def test_times_in_the_sort_key_rise_below_a_day_of_the_same_time() -> None:
    found = review_of(
        """
        events = Table("events")

        class Event(Entity, table=events):
            at: Annotated[datetime, Created()]
            event_id: UUID
            primary = Key("{at:%Y-%m-%d}", "{at}#{event_id}")

            @access(rate=2000, item_size=300)
            @classmethod
            def add(cls, event: "Event") -> Put["Event"]:
                return Put(event)
        """
    )

    (load,) = found.design.loads
    assert load.load.ceiling.why_fixed == "at makes each new sort key larger than all before"


def test_a_load_of_unknown_spread_names_the_field_and_a_bound() -> None:
    (load,) = review_of(
        """
        shop = Table("shop")

        class Order(Entity, table=shop, items=5_000_000):
            order_id: str
            primary = Key("{order_id}", "ORDER")

            @access(rate=600, item_size=300)
            @classmethod
            def one(cls, order_id: str) -> Get["Order"]:
                return cls.primary.get(order_id=order_id)
        """
    ).design.loads

    assert load_text(load) == (
        "up to 300 read units a second on one key of shop, as the spread of order_id is not declared; it serves 3,000 "
        "read units a second, which no split raises: it is one item; headroom 10 times or more, full at 6,000 calls a "
        "second or more"
    )


@pytest.mark.parametrize(
    ("comment", "accepted", "note"),
    [
        ("# pksk: accept constant-partition-key: at most 20", ["at most 20"], False),
        ("# pksk: accept scan, constant-partition-key: at most 20", ["at most 20"], False),
        ("# pksk: accept scan: another rule", [], False),
        ("# pksk: accept constant-partition-key", [], True),
        ("# pksk: accept constant-partition-key: ", [], True),
    ],
)
def test_a_comment_accepts_the_findings_that_it_names_if_it_says_why(
    comment: str, accepted: list[str], note: bool
) -> None:
    found = review_of(
        f"""
        posts = Table("posts")

        class Post(Entity, table=posts):
            post_id: str
            {comment}
            primary = Key("PINNED", "{{post_id}}")
        """
    )

    assert [each.reason for each in found.accepted] == accepted
    assert len(found.findings) == 1 - len(accepted)
    assert any("without a reason" in line for each in found.findings for line in each.evidence) == note
