"""Designs and traces for the rule about indexes that a trace writes and never reads."""

from tests.review.traces import queries, reads, writes

_KEYS = [f"ORDER#{number}" for number in range(300)]

_ORDERS = """
    shop = Table("shop", indexes=[{indexes}])

    class Order(Entity, table=shop):
        order_id: str
        customer: str
        day: date
        primary = Key("ORDER#{{order_id}}", "META")
    {keys}
    """
_BY_DAY = """
        by_day = Key("{day}", "{order_id}", index="by-day")

        @access(rate=1, items=5)
        @classmethod
        def of_day(cls, day: date) -> Query["Order"]:
            return cls.by_day(day=day)
"""
_BY_CUSTOMER = """
        by_customer = Key("{customer}", "{order_id}", index="by-customer")

        @access(rate=1, items=5)
        @classmethod
        def of_customer(cls, customer: str) -> Query["Order"]:
            return cls.by_customer(customer=customer)
"""
_GSI = 'GSI("by-day", pk="g1", sk="g2")'
_ONE = _ORDERS.format(indexes=_GSI, keys=_BY_DAY)
_BOTH = _ORDERS.format(indexes=f'{_GSI}, GSI("by-customer", pk="g3", sk="g4")', keys=_BY_DAY + _BY_CUSTOMER)

FOUND = {"one index": ("info", _ONE), "one of two": ("info", _BOTH)}

SILENT = {"an index that is read": _ONE, "a trace of writes": _ONE, "few writes": _ONE}

FIXED = {"one of two": _ORDERS.format(indexes='GSI("by-customer", pk="g3", sk="g4")', keys=_BY_CUSTOMER)}

_WRITES = writes("shop", _KEYS) + writes("shop", _KEYS, "by-day")
TRAFFIC = {
    "one index": _WRITES + reads("shop", _KEYS),
    "one of two": _WRITES + queries("shop", _KEYS, "by-customer"),
    "an index that is read": _WRITES + reads("shop", _KEYS) + queries("shop", ["2025-01-01"], "by-day"),
    "a trace of writes": _WRITES,
    "few writes": writes("shop", _KEYS[:50], "by-day") + reads("shop", _KEYS),
}
