"""Designs for the rule about queries that read megabytes a call."""

_ORDERS = """
    shop = Table("shop")

    class Order(Entity, table=shop, per_partition=20_000):
        customer: str
        number: int
        primary = Key("CUST#{{customer}}", "ORDER#{{number:08d}}")

        @access(rate={rate}, items={items}, item_size=400)
        @classmethod
        def of_customer(cls, customer: str) -> Query["Order"]:
            return cls.primary(customer=customer){rest}
    """

FOUND = {
    "eight megabytes five times a second": ("warning", _ORDERS.format(rate=5, items=20_000, rest="")),
    "just more than a megabyte every second": ("warning", _ORDERS.format(rate=1, items=2_700, rest="")),
}

SILENT = {
    "a small one": _ORDERS.format(rate=50, items=20, rest=""),
    "a limited one": _ORDERS.format(rate=5, items=20_000, rest=".limit(20)"),
    "a report": _ORDERS.format(rate='"1/day"', items=20_000, rest=""),
}

FIXED = {
    "eight megabytes five times a second": _ORDERS.format(rate=5, items=20, rest=".limit(20)"),
}
