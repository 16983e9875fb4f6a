"""Designs and traces for the rule about declared spreads that a trace contradicts."""

from tests.review.traces import reads, writes

_TENANTS = [f"TENANT#{number}" for number in range(1000)]

_ORDERS = """
    shop = Table("shop")

    class Order(Entity, table=shop):
        tenant: {tenant}
        number: int
        primary = Key("TENANT#{{tenant}}", "{{number:09d}}")

        @access(rate=50, item_size=400)
        @classmethod
        def add(cls, order: "Order") -> Put["Order"]:
            return Put(order)
    """
_EVEN = _ORDERS.format(tenant="Annotated[str, Spread(values=2_000)]")
_READ = """
    shop = Table("shop", sk=None)

    class Product(Entity, table=shop):
        product_id: str
        primary = Key("TENANT#{product_id}")

        @access(rate=50, item_size=400, spread=Spread(values=1_000_000))
        @classmethod
        def one(cls, product_id: str) -> Get["Product"]:
            return cls.primary.get(product_id=product_id)
    """

FOUND = {
    "a tenant that makes a third of the writes": ("warning", _EVEN),
    "an item that receives half of the reads": ("warning", _READ),
}

SILENT = {
    "an even spread": _EVEN,
    "few calls": _EVEN,
    "a spread that is not declared": _ORDERS.format(tenant="str"),
    "keys of no entity": _EVEN,
}

FIXED = {
    "a tenant that makes a third of the writes": _ORDERS.format(
        tenant="Annotated[str, Spread(values=2_000, largest=0.38)]"
    ),
}

TRAFFIC = {
    "a tenant that makes a third of the writes": writes("shop", [*_TENANTS, *["TENANT#7"] * 500]),
    "an item that receives half of the reads": reads("shop", [*_TENANTS[:300], *["TENANT#7"] * 300]),
    "an even spread": writes("shop", _TENANTS * 3),
    "few calls": writes("shop", ["TENANT#7"] * 199),
    "a spread that is not declared": writes("shop", ["TENANT#7"] * 500),
    "keys of no entity": writes("shop", ["COUNTER"] * 500),
}
