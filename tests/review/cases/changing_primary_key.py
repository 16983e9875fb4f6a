"""Designs for the rule about primary keys with a field that changes."""

_ORDERS = """
    shop = Table("shop", indexes=[GSI("by-status", pk="g1", sk="g2")])

    class Order(Entity, table=shop):
        customer: str
        order_id: str
        {field}: str
        note: str = ""
        at: AwareDatetime
        primary = Key({key})
        {other}
    """


def _orders(key: str, field: str = "status", other: str = "") -> str:
    return _ORDERS.format(key=key, field=field, other=other)


FOUND = {
    "a status before the id": ("info", _orders('"CUST#{customer}", "{status}#{order_id}"')),
    "a balance": ("info", _orders('"CUST#{customer}", "{balance}#{order_id}"', "balance")),
    "a status of a name": ("info", _orders('"{order_status}", "{order_id}"', "order_status")),
}

SILENT = {
    "a status in an index": _orders(
        '"CUST#{customer}", "{order_id}"',
        other='by_status = Key("{customer}", "{status}#{order_id}", index="by-status")',
    ),
    "a history": _orders('"ORDER#{order_id}", "{at}#{status}"'),
    "a category": _orders('"CUST#{customer}", "{category}#{order_id}"', "category"),
    "nothing but a key": """
        shop = Table("shop")

        class Seen(Entity, table=shop):
            order_id: str
            status: str
            primary = Key("{order_id}", "{status}")
        """,
}

FIXED = {"a status before the id": SILENT["a status in an index"]}
