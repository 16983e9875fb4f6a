"""Designs for the rule about keys that put items into an index where nothing looks for them."""

_SHOP = """
    shop = Table("shop", indexes=[GSI("by-status", pk="g1", sk="g2")])

    class Customer(Entity, table=shop, items=1_000_000):
        customer: str
        status: str
        primary = Key("CUST#{{customer}}", "PROFILE")
        {key}

        {customer}

    class Order(Entity, table=shop, items=1_000_000):
        order_id: str
        status: str
        primary = Key("ORDER#{{order_id}}", "META")
        by_status = Key("ORDERS#{{status}}", "{{order_id}}", index="by-status")

        {order}
    """

_KEY = 'by_status = Key("CUSTOMERS#{status}", "{customer}", index="by-status")'
_CUSTOMER = """@access(rate=10)
        @classmethod
        def one(cls, customer: str) -> Get["Customer"]:
            return cls.primary.get(customer=customer)
"""
_ORDER = """@access(rate=10, items=20)
        @classmethod
        def of_status(cls, status: str) -> Query["Order"]:
            return cls.by_status(status=status)
"""
_SCAN = """@access(rate="1/day")
        @classmethod
        def listed(cls) -> Scan["Order"]:
            return cls.by_status.scan()
"""

FOUND = {
    "in an index that serves another entity": (
        "warning",
        _SHOP.format(key=_KEY, customer=_CUSTOMER, order=_ORDER),
    ),
    "of two entities, where one is queried by where()": (
        "warning",
        _SHOP.format(
            key=_KEY,
            customer=_CUSTOMER,
            order=_ORDER.replace("cls.by_status(", "cls.where("),
        ),
    ),
}

SILENT = {
    "an entity that is read in no access pattern": _SHOP.format(key=_KEY, customer="", order=_ORDER),
    "an index that serves nothing, which another rule reports": _SHOP.format(
        key=_KEY, customer=_CUSTOMER, order=""
    ),
    "an index that is scanned": _SHOP.format(
        key=_KEY, customer=_CUSTOMER, order=_ORDER + "\n        " + _SCAN
    ),
    "a key that is queried": _SHOP.format(
        key=_KEY,
        customer=_CUSTOMER
        + """
        @access(rate=10, items=20)
        @classmethod
        def of_status(cls, status: str) -> Query["Customer"]:
            return cls.by_status(status=status)
""",
        order=_ORDER,
    ),
}

MECHANICAL = FOUND.keys()

FIXED = {"in an index that serves another entity": _SHOP.format(key="", customer=_CUSTOMER, order=_ORDER)}
