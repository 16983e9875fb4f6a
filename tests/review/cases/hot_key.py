"""Designs and traces for the rule about a key that a trace shows to be hot."""

from tests.review.traces import queries, writes

_CUSTOMERS = [f"CUST#{number}" for number in range(900)]

_ORDERS = """
    shop = Table("shop")

    class Order(Entity, table=shop):
        customer: {customer}
        order_id: str
        primary = {key}

        @access({rate}item_size=400)
        @classmethod
        def add(cls, order: "Order") -> Put["Order"]:
            return Put(order)
    """
_PLAIN = 'Key("CUST#{customer}", "{order_id}")'
_BUSY = _ORDERS.format(customer="str", key=_PLAIN, rate="rate=8000, ")
_READ = """
    shop = Table("shop")

    class Order(Entity, table=shop):
        customer: str
        order_id: str
        primary = Key("CUST#{customer}", "{order_id}")

        @access(rate=20_000, items=10, item_size=400)
        @classmethod
        def of_customer(cls, customer: str) -> Query["Order"]:
            return cls.primary(customer=customer)
    """

FOUND = {
    "a customer with a quarter of 8,000 writes a second": ("warning", _BUSY),
    "a customer with half of 20,000 queries a second": ("warning", _READ),
}

SILENT = {
    "a low rate": _ORDERS.format(customer="str", key=_PLAIN, rate="rate=40, "),
    "no rate": _ORDERS.format(customer="str", key=_PLAIN, rate=""),
    "an even spread": _BUSY,
    "a spread that is declared": _ORDERS.format(
        customer="Annotated[str, Spread(largest=0.3)]", key=_PLAIN, rate="rate=8000, "
    ),
}

FIXED = {
    "a customer with a quarter of 8,000 writes a second": _ORDERS.format(
        customer="Annotated[str, Spread(largest=0.3)]",
        key='Key("CUST#{customer}#{shard}", "{order_id}", shard=Shard(8, of="order_id"))',
        rate="rate=8000, ",
    ),
}

_QUARTER = writes("shop", [*_CUSTOMERS, *["CUST#7"] * 300])
TRAFFIC = {
    "a customer with a quarter of 8,000 writes a second": _QUARTER,
    "a customer with half of 20,000 queries a second": queries("shop", [*_CUSTOMERS, *["CUST#7"] * 900]),
    "a low rate": _QUARTER,
    "no rate": _QUARTER,
    "an even spread": writes("shop", _CUSTOMERS * 2),
    "a spread that is declared": _QUARTER,
}
