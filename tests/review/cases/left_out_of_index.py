"""Designs for the rule about items that lack a field of the sort key of an index."""

_ORDERS = """
    shop = Table("shop", indexes=[GSI("by-customer", pk="g1", sk="g2")])

    class Order(Entity, table=shop, items=1_000_000):
        customer: {customer}
        order_id: str
        due: {due}
        primary = Key("ORDER#{{order_id}}", "META")
        by_customer = Key("CUST#{{customer}}", "{sort}", index="by-customer"{when})

        @access(rate=10, items=20)
        @classmethod
        def of_customer(cls, customer: str, day: date) -> Query["Order"]:
            return cls.by_customer(customer=customer{rest})
    """
_DUE = {"customer": "str", "due": "date | None = None", "when": "", "rest": ""}

FOUND = {
    "a sort key that is optional": ("info", _ORDERS.format(sort="{due}", **_DUE)),
    "a sort key that goes on with an id": ("info", _ORDERS.format(sort="{due}#{order_id}", **_DUE)),
}

SILENT = {
    "a field that every item has": _ORDERS.format(sort="{due}", **{**_DUE, "due": "date"}),
    "a time that the store sets": _ORDERS.format(
        sort="{due}", **{**_DUE, "due": "Annotated[datetime | None, Updated()] = None"}
    ),
    "a condition that says so": _ORDERS.format(sort="{due}", **{**_DUE, "when": ", when=F.due.exists()"}),
    "a query by that field": _ORDERS.format(sort="{due}", **{**_DUE, "rest": ", due=lte(day)"}),
    "a partition key that is optional": _ORDERS.format(
        sort="{due}", **{**_DUE, "customer": "str | None = None"}
    ),
}

FIXED = {
    "a sort key that is optional": SILENT["a field that every item has"],
    "a sort key that goes on with an id": SILENT["a condition that says so"],
}
