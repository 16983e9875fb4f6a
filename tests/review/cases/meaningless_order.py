"""Designs for the rule about queries that rely on an order that does not exist."""

_ORDERS = """
    shop = Table("shop", indexes=[GSI("by-customer", pk="g1", sk="g2")])

    class Order(Entity, table=shop):
        customer: str
        id: {type}
        at: AwareDatetime
        primary = Key("{{id}}", "META")
        by_customer = Key("{{customer}}", "{sort}", index="by-customer")

        @access(rate=10, items=10)
        @classmethod
        def newest(cls, customer: str) -> Query["Order"]:
            return cls.by_customer(customer=customer){rest}
    """

FOUND = {
    "the last of random ids": ("warning", _ORDERS.format(type="UUID", sort="{id}", rest=".reverse()")),
    "the first ten of random ids": ("info", _ORDERS.format(type="UUID", sort="{id}", rest=".limit(10)")),
    "the last of numbers without padding": (
        "warning",
        _ORDERS.format(type="int", sort="N#{id}", rest=".reverse()"),
    ),
}

SILENT = {
    "all of random ids": _ORDERS.format(type="UUID", sort="{id}", rest=""),
    "the last by time": _ORDERS.format(type="UUID", sort="{at}#{id}", rest=".reverse().limit(10)"),
    "the last of padded numbers": _ORDERS.format(type="int", sort="{id:08d}", rest=".reverse()"),
    "ids of which the text is not known": _ORDERS.format(type="str", sort="{id}", rest=".reverse()"),
}

FIXED = {
    "the last of random ids": _ORDERS.format(type="UUID", sort="{at}#{id}", rest=".reverse()"),
    "the last of numbers without padding": _ORDERS.format(type="int", sort="N#{id:08d}", rest=".reverse()"),
}

# Cases whose finding has a change that removes it.
MECHANICAL = {
    "the last of numbers without padding",
}
