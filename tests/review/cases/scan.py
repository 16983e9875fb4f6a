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
_SCAN = {"parameters": "", "returns": "Scan", "request": 'cls.scan().filter(F.status == "open")'}

FOUND = {
    "every second": ("error", _ORDERS.format(items=100_000, rate=5, **_SCAN)),
    "every second, of a few hundred items": ("warning", _ORDERS.format(items=300, rate=1, **_SCAN)),
    "every hour": ("warning", _ORDERS.format(items=100_000, rate='"1/hour"', **_SCAN)),
    "of a table of which the number of items is not declared": (
        "warning",
        _ORDERS.format(items="None", rate=5, **_SCAN),
    ),
    "without a filter": (
        "warning",
        _ORDERS.format(items=100_000, rate='"1/hour"', parameters="", returns="Scan", request="cls.scan()"),
    ),
}

SILENT = {
    "every hour, of a megabyte": _ORDERS.format(items=2_500, rate='"1/hour"', **_SCAN),
    "once a day": _ORDERS.format(items=100_000, rate='"1/day"', **_SCAN),
    "of a table with few items": _ORDERS.format(items=50, rate=5, **_SCAN),
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
