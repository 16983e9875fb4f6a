"""Designs as text, for tests that load them from files."""

from __future__ import annotations

SHOP = '''
from __future__ import annotations

from datetime import date
from typing import Annotated

from pksk import GSI, Attribute, Entity, F, Key, Shard, Table

shop = Table("shop", indexes=[GSI("by-status", pk="g1", sk="g2", projection=["t"])], stream=True, ttl="ends")


class Order(Entity, table=shop, items=10_000, per_partition=20):
    """An order."""

    customer: str
    number: int
    day: date
    status: str | None = None
    total: Annotated[int, Attribute("t")] = 0

    primary = Key("CUST#{customer}", "ORDER#{number:06d}")
    by_status = Key(
        "STATUS#{status}#{shard}", "{day}#{number:06d}",
        index="by-status", shard=Shard(4, of="number"), when=F.total > 10,
    )


class Customer(Entity, table=shop):
    customer: str
    name: str

    primary = Key("CUST#{customer}", "PROFILE")
'''

STALL = '''
from __future__ import annotations

from datetime import date

from pksk import GSI, Entity, Get, Key, Provisioned, Put, Query, Table, access

stall = Table("stall", indexes=[GSI("by-code", pk="code", projection="keys")])
till = Table("till", billing=Provisioned(read=10, write=5))


class Sale(Entity, table=stall, items=1_000_000):
    """One thing sold."""

    day: date
    number: int
    code: str

    primary = Key("DAY#{day}", "{number:06d}")
    by_code = Key("{code}", index="by-code")

    @access(rate=2, items=100, item_size=400)
    @classmethod
    def of_day(cls, day: date, newest_first: bool = False) -> Query[Sale]:
        """The sales of one day."""
        found = cls.primary(day=day)
        return found.reverse() if newest_first else found

    @access(items=3)
    @classmethod
    def of_code(cls, code: str) -> Query[Sale]:
        if len(code) != 3:
            raise ValueError(f"{code!r} has not three letters")
        return cls.by_code(code=code).hydrate()

    @access(rate="1000/day")
    @classmethod
    def sell(cls, sale: Sale) -> Put[Sale]:
        return Put(sale)


class Total(Entity, table=till):
    day: date
    cents: int = 0

    primary = Key("DAY#{day}", "TOTAL")

    @access(rate=4, item_size=100)
    @classmethod
    def of_day(cls, day: date) -> Get[Total]:
        return cls.primary.get(day=day).consistently()
'''

# One file for each way in which a design can be wrong.
BROKEN = {
    "shop.py": SHOP,
    "stall.py": STALL,
    "empty.py": "answer = 42\n",
    "raises.py": "def find(settings):\n    return settings['table']\n\n\nname = find({})\n",
    "exits.py": "import sys\n\nsys.exit(3)\n",
    "email/__init__.py": "",
    "email/orders.py": SHOP,
    "incomplete.py": (
        "from pksk import Entity, Key, Table\n\n\n"
        "class Order(Entity, table=Table('orders')):\n    id: 'Nowhere'\n    primary = Key('ORDER#{id}', 'META')\n"
    ),
    "taken/notes.txt": "",
}
