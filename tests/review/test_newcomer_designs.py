"""Anti-patterns and trade-offs as newcomers write them: found, with the fix that removes them."""

from __future__ import annotations

import pytest

from tests.review.designs import review_of, review_of_text

_ONE_FOR_ALL = """
    table = Table("app")

    class User(Entity, table=table):
        user_id: str
        name: str
        primary = Key("USER", "{user_id}")
    """
_COUNTRY = """
    table = Table("app")

    class User(Entity, table=table, items=5_000_000):
        country_code: str
        user_id: str
        primary = Key("{country_code}", "{user_id}")

        @access(rate=4000, item_size=400)
        @classmethod
        def add(cls, user: "User") -> Put["User"]:
            return Put(user)
    """
_STATUS = """
    table = Table("app", indexes=[GSI("by-status", pk="g1", sk="g2")])

    class Order(Entity, table=table, items=5_000_000):
        order_id: str
        status: str
        primary = Key("{order_id}", "ORDER")
        by_status = Key("{status}", "{order_id}", index="by-status")

        @access(rate=4000, item_size=400)
        @classmethod
        def add(cls, order: "Order") -> Put["Order"]:
            return Put(order)
    """
_DATE = """
    table = Table("app")

    class Event(Entity, table=table):
        date: str
        event_id: str
        primary = Key("{date}", "{event_id}")

        @access(rate=8000, item_size=400)
        @classmethod
        def add(cls, event: "Event") -> Put["Event"]:
            return Put(event)
    """
_NUMBERS = """
    table = Table("app")
    numbers = sequence("users", table=table)

    class User(Entity, table=table):
        number: int
        primary = Key("{number}", "USER")

    @access(rate=3000)
    def next_number() -> Update:
        return numbers.take()
    """
_TOO_FINE = """
    table = Table("app", sk=None)

    class Event(Entity, table=table, items=5_000_000):
        user_id: str
        at: AwareDatetime
        primary = Key("{user_id}#{at}")

        @access(rate=20, item_size=400)
        @classmethod
        def of_user(cls, user_id: str) -> Scan["Event"]:
            return cls.scan().filter(F.user_id == user_id)
    """
_RANDOM_ORDER = """
    table = Table("app")

    class Order(Entity, table=table):
        user_id: str
        id: UUID
        at: AwareDatetime
        primary = Key("{user_id}", "{id}")

        @access(rate=20, items=200, item_size=400)
        @classmethod
        def newest(cls, user_id: str) -> Query["Order"]:
            return cls.primary(user_id=user_id).reverse().limit(10)

        @access(rate=20, items=200, item_size=400)
        @classmethod
        def since(cls, user_id: str, start: AwareDatetime) -> Query["Order"]:
            return cls.primary(user_id=user_id).filter(F.at >= start)
    """
_LIST_BY_SCAN = """
    table = Table("app")

    class Task(Entity, table=table, items=2_000_000):
        owner: str
        task_id: str
        primary = Key("TASK#{owner}", "{task_id}")

        @access(rate=50, item_size=400)
        @classmethod
        def of_owner(cls, owner: str) -> Scan["Task"]:
            return cls.scan().filter(F.owner == owner)
    """
_LEADERBOARD = """
    table = Table("app", indexes=[GSI("scores", pk="g1", sk="g2")])

    class Player(Entity, table=table):
        player_id: str
        score: int = 0
        primary = Key("PLAYER#{player_id}", "PLAYER")
        leaderboard = Key("GLOBAL", "{score:010d}#{player_id}", index="scores")

        @access(rate=4000, item_size=300)
        @classmethod
        def scored(cls, player_id: str, score: int) -> Update["Player"]:
            return cls.primary.update(player_id=player_id).set(score=score)

        @access(rate=300, items=100)
        @classmethod
        def top(cls) -> Query["Player"]:
            return cls.leaderboard().reverse().limit(100)
    """
_BY_TYPE = """
    table = Table("app", indexes=[GSI("by-type", pk="type", sk="sk")])

    class Ticket(Entity, table=table):
        tenant: str
        number: int
        primary = Key("TICKETS#{tenant}", "{number:09d}")

        @access(rate=2000, item_size=200)
        @classmethod
        def add(cls, ticket: "Ticket") -> Put["Ticket"]:
            return Put(ticket)
    """
_TO_Z = """
    table = Table("app")

    class City(Entity, table=table):
        country: str
        name: str
        primary = Key("{country}", "{name}")

        @access(rate=2, items=20)
        @classmethod
        def like(cls, country: str, start: str) -> Query["City"]:
            return cls.primary(country=country, name=between(start, start + "z"))
    """
_STATUS_IN_KEY = """
    table = Table("app")

    class Order(Entity, table=table):
        customer: str
        order_id: str
        status: str
        total: int
        primary = Key("CUST#{customer}", "{status}#{order_id}")
    """
_OWN_ATTRIBUTES = """
    table = Table("app", indexes=[GSI("by-status", pk="status", sk="day"), LSI("by-total", sk="total_key")])

    class Order(Entity, table=table, items=80_000_000):
        day: date
        number: int
        customer: str
        status: Literal["new", "paid", "done"]
        total: int
        primary = Key("{day}", "{number}")
        by_status = Key("{status}", "{day}", index="by-status")
        by_total = Key("{day}", "{total:09d}", index="by-total")

        @access(rate=1500, item_size=800)
        @classmethod
        def place(cls, order: "Order") -> Put["Order"]:
            return Put(order)

        @access(rate=5, items=50, item_size=800)
        @classmethod
        def new(cls) -> Query["Order"]:
            return cls.by_status(status="new")

        @access(rate=50, items=20, item_size=800)
        @classmethod
        def last(cls, day: date) -> Query["Order"]:
            return cls.primary(day=day).reverse().limit(20)

        @access(rate=500, items=10, item_size=800)
        @classmethod
        def of_customer(cls, customer: str) -> Scan["Order"]:
            return cls.scan().filter(F.customer == customer)
    """


@pytest.mark.parametrize(
    ("source", "severity", "rule", "fix"),
    [
        (_ONE_FOR_ALL, "warning", "constant-partition-key", "put {user_id} into the partition key"),
        (_COUNTRY, "warning", "few-partition-keys", "put a field with many values beside country_code"),
        (_STATUS, "warning", "few-partition-keys", "put a field with many values beside status"),
        (_DATE, "warning", "time-partition-key", "put date into the sort key"),
        (_NUMBERS, "error", "busy-item", "draw numbers in blocks"),
        (_TOO_FINE, "error", "scan", "keep user_id in it, and move at to the sort key"),
        (_RANDOM_ORDER, "warning", "meaningless-order", "begin the sort key with a time"),
        (_RANDOM_ORDER, "warning", "range-filter", 'begin the sort key with the time, such as "{at}#..."'),
        (_LIST_BY_SCAN, "error", "scan", "query primary, which finds items by owner"),
        (_LEADERBOARD, "error", "constant-partition-key", "shard=Shard(16, of='player_id')"),
        (_BY_TYPE, "error", "index-without-key", "give the index attributes of its own, such as pk='g1'"),
        (_TO_Z, "warning", "range-to-last-letter", "name=begins(...)"),
        (_OWN_ATTRIBUTES, "error", "scan", "add a key that finds items by customer"),
        (
            _OWN_ATTRIBUTES,
            "warning",
            "could-be-sparse",
            "give the index key attributes of its own; then keep only",
        ),
        (_STATUS_IN_KEY, "info", "changing-primary-key", "put it into the key of an index"),
    ],
)
def test_an_anti_pattern_is_found_with_its_fix(source: str, severity: str, rule: str, fix: str) -> None:
    found = [each for each in review_of(source).findings if each.rule == rule]

    assert [each.severity for each in found] == [severity]
    assert fix in found[0].fix


@pytest.mark.parametrize("name", [each for each in globals() if each.isupper()])
def test_every_mechanical_fix_leaves_a_design_that_works(name: str) -> None:
    before = review_of(globals()[name])
    for change in [each.change for each in before.findings if each.change]:
        (text,) = change.new_texts.values()
        after = review_of_text(text)

        assert after.count("error") <= before.count("error")
        assert not [each.problem for each in after.design.uses if each.problem]
