"""Designs for the rule about access patterns that scan."""

_ORDERS = """
    shop = Table("shop")

    class Order(Entity, table=shop, items={items}):
        customer: str
        order_id: str
        status: str
        primary = Key("CUST#{{customer}}", "ORDER#{{order_id}}")

        @access(rate={rate}, item_size=400)
        @classmethod
        def listed(cls{parameters}) -> {returns}["Order"]:
            return {request}
    """
# The items that the call returns, in place of those that it reads.
_RETURNED = """
    shop = Table("shop")

    class Order(Entity, table=shop, items=100_000):
        customer: str
        order_id: str
        primary = Key("ORDER#{order_id}", "ORDER")

        @access(rate=20, items=10, item_size=400)
        @classmethod
        def of_customer(cls, customer: str) -> Scan["Order"]:
            return cls.scan().filter(F.customer == customer)
    """
_BESIDE_A_SEQUENCE = """
    shop = Table("shop")
    numbers = sequence("numbers", table=shop)

    class Order(Entity, table=shop, items=100_000):
        number: int
        primary = Key("ORDER#{number}", "ORDER")

        @access(rate=20, item_size=400)
        @classmethod
        def listed(cls) -> Scan["Order"]:
            return cls.scan()
    """
_BESIDE_AN_ENTITY = _BESIDE_A_SEQUENCE.replace(
    'numbers = sequence("numbers", table=shop)',
    """
    class Customer(Entity, table=shop):
        customer: str
        primary = Key("CUST#{customer}", "CUST")
    """,
)
_SPARSE_INDEX = """
    shop = Table("shop", indexes=[GSI("open", pk="g1", sk="g2")])

    class Order(Entity, table=shop, items=100_000):
        order_id: str
        status: str
        primary = Key("ORDER#{order_id}", "ORDER")
        is_open = Key("OPEN#{order_id}", "OPEN", index="open", when=F.status == "open")

        @access(rate=2, items=10, item_size=400)
        @classmethod
        def all_open(cls) -> Scan["Order"]:
            return cls.is_open.scan()
    """
_SCAN = {"parameters": "", "returns": "Scan", "request": 'cls.scan().filter(F.status == "open")'}

FOUND = {
    "every second": ("error", _ORDERS.format(items=100_000, rate=5, **_SCAN)),
    "every second, of a few hundred items": ("warning", _ORDERS.format(items=300, rate=1, **_SCAN)),
    "every hour": ("warning", _ORDERS.format(items=100_000, rate='"1/hour"', **_SCAN)),
    "of a table of which the number of items is not declared": (
        "warning",
        _ORDERS.format(items="None", rate=5, **_SCAN),
    ),
    "that declares what it returns": ("error", _RETURNED),
    "beside a sequence, which is one item": ("error", _BESIDE_A_SEQUENCE),
    "beside an entity of which the number is not declared": ("error", _BESIDE_AN_ENTITY),
    "without a filter": (
        "warning",
        _ORDERS.format(items=100_000, rate='"1/hour"', parameters="", returns="Scan", request="cls.scan()"),
    ),
}

SILENT = {
    "every hour, of a megabyte": _ORDERS.format(items=2_500, rate='"1/hour"', **_SCAN),
    "once a day": _ORDERS.format(items=100_000, rate='"1/day"', **_SCAN),
    "of a table with few items": _ORDERS.format(items=50, rate=5, **_SCAN),
    "of an index with few of the items": _SPARSE_INDEX,
    "of which the rate is not declared": _ORDERS.format(items=100_000, rate="None", **_SCAN),
}

FIXED = {
    "every second": _ORDERS.format(
        items=100_000,
        rate=5,
        parameters=", customer: str",
        returns="Query",
        request='cls.primary(customer=customer).filter(F.status == "open")',
    ),
}
