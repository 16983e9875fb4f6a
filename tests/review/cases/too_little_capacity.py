"""Designs for the rule about tables and indexes with less capacity than they need."""

_ORDERS = """
    shop = Table("shop", billing={billing}, indexes=[GSI("by-day", pk="g1", sk="g2"{index})])

    class Order(Entity, table=shop):
        order_id: str
        customer: str
        primary = Key("ORDER#{{order_id}}", "META")
        by_customer = Key("CUST#{{customer}}", "{{order_id}}", index="by-day")

        @access(rate={rate}, item_size=400)
        @classmethod
        def add(cls, order: "Order") -> Put["Order"]:
            return Put(order)

        @access(rate=1, items=10)
        @classmethod
        def of_customer(cls, customer: str) -> Query["Order"]:
            return cls.by_customer(customer=customer)
    """

FOUND = {
    "provisioned": (
        "error",
        _ORDERS.format(
            billing="Provisioned(read=100, write=50)",
            index=", billing=Provisioned(read=100, write=500)",
            rate=200,
        ),
    ),
    "a maximum on demand": (
        "error",
        _ORDERS.format(billing="OnDemand(max_read=1000, max_write=100)", index="", rate=200),
    ),
    "the quota of an account": (
        "warning",
        _ORDERS.format(
            billing="Provisioned(read=100, write=60_000)",
            index=", billing=Provisioned(read=100, write=30_000)",
            rate=200,
        ),
    ),
    "the quota of a table": ("warning", _ORDERS.format(billing="OnDemand()", index="", rate=50_000)),
}

SILENT = {
    "enough provisioned": _ORDERS.format(
        billing="Provisioned(read=100, write=500)",
        index=", billing=Provisioned(read=100, write=500)",
        rate=200,
    ),
    "on demand": _ORDERS.format(billing="OnDemand()", index="", rate=5_000),
}

FIXED = {
    "provisioned": _ORDERS.format(billing="OnDemand()", index="", rate=200),
}

# Cases whose finding has a change that removes it.
MECHANICAL = {
    "provisioned",
    "a maximum on demand",
}
