"""Designs for the rule about what strongly consistent reads cost."""

_PRODUCTS = """
    shop = Table("shop")

    class Product(Entity, table=shop):
        product: str
        name: str = ""
        primary = Key("{{product}}", "META")

        @access(rate={rate}, items=1, item_size=400, spread=Spread(values=1_000_000))
        @classmethod
        def one(cls, product: str) -> {kind}["Product"]:
            return cls.primary{get}(product=product){call}
    """


def _products(rate: int, call: str = "", kind: str = "Get") -> str:
    return _PRODUCTS.format(rate=rate, call=call, kind=kind, get=".get" if kind == "Get" else "")


_CONSISTENT = ".consistently()"


FOUND = {
    "items": ("info", _products(2000, _CONSISTENT)),
    "queries": ("info", _products(2000, _CONSISTENT, "Query")),
}

SILENT = {"eventual reads": _products(2000), "few reads": _products(20, _CONSISTENT)}

FIXED = {"items": _products(2000)}
