"""Designs and traces for the rule about writes that arrive grouped by partition key."""

from tests.review.traces import writes

_ORDERS = """
    shop = Table("shop")

    class Order(Entity, table=shop):
        customer: str
        order_id: str
        primary = Key("CUST#{customer}", "{order_id}")
    """
_CUSTOMERS = [f"CUST#{number}" for number in range(10)]
_GROUPED = [each for each in _CUSTOMERS for _ in range(1000)]
_LESS_GROUPED = [each for each in _CUSTOMERS for _ in range(2000)]
_LESS_GROUPED[::5] = [f"CUST#{number}" for number in range(4000)]

FOUND = {
    "a load in the order of customers": ("info", _ORDERS),
    "the same with others in between": ("info", _ORDERS),
}

SILENT = {
    "a load of shuffled lines": _ORDERS,
    "one customer for everything, which another rule finds": _ORDERS,
    "too few writes": _ORDERS,
    "no trace": _ORDERS,
}

FIXED = {"a load in the order of customers": _ORDERS}

TRAFFIC = {
    "a load in the order of customers": writes("shop", _GROUPED),
    "the same with others in between": writes("shop", _LESS_GROUPED),
    "a load of shuffled lines": writes("shop", _CUSTOMERS * 1000),
    "one customer for everything, which another rule finds": writes("shop", ["CUST#1"] * 10_000),
    "too few writes": writes("shop", _GROUPED[:3000]),
}
