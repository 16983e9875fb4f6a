"""Designs for the rule about sort keys that continue the name of another entity."""

_SHOP = """
    shop = Table("shop")

    class Order(Entity, table=shop):
        customer: str
        number: int
        primary = Key("{first}", "{one}")

    class OrderLine(Entity, table=shop):
        customer: str
        number: int
        primary = Key("{second}", "{other}")
    """
_SAME = {"first": "CUST#{customer}", "second": "CUST#{customer}"}

FOUND = {
    "a literal that goes on": (
        "info",
        _SHOP.format(one="ORDER{number:06d}", other="ORDERLINE{number:06d}", **_SAME),
    ),
    "a literal without a delimiter": (
        "info",
        _SHOP.format(one="order", other="order_line#{number:06d}", **_SAME),
    ),
}

SILENT = {
    "a delimiter after each": _SHOP.format(one="ORDER#{number:06d}", other="ORDERLINE#{number:06d}", **_SAME),
    "a delimiter within a longer name": _SHOP.format(
        one="ORDER#{number:06d}", other="ORDER#LINE#{number:06d}", **_SAME
    ),
    "in different partitions": _SHOP.format(
        first="CUST#{customer}",
        second="LINES#{customer}",
        one="ORDER{number:06d}",
        other="ORDERLINE{number:06d}",
    ),
}

FIXED = {"a literal that goes on": SILENT["a delimiter after each"]}
