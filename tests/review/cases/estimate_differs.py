"""Designs with items for the rule about access patterns that consume more than the design declares."""

_ORDERS = """
    shop = Table("shop")

    class Order(Entity, table=shop):
        customer: str
        number: int
        text: str = ""
        primary = Key("CUST#{{customer}}", "{{number:06d}}")

        @access(rate=50, items={items}, item_size={size})
        @classmethod
        def of_customer(cls, customer: str) -> Query["Order"]:
            return cls.primary(customer=customer)

    stored = [Order(customer=f"c{{number % 3}}", number=number, text="x" * {text}) for number in range(300)]
    """
_MORE = _ORDERS.format(items=10, size=200, text=100)
_LARGER = _ORDERS.format(items=100, size=200, text=1500)
_RIGHT = _ORDERS.format(items=100, size=150, text=100)

FOUND = {
    "ten times as many items": ("warning", _MORE),
    "items of another size": ("warning", _LARGER),
}

SILENT = {
    "the declared numbers": _RIGHT,
    "fewer items than declared": _ORDERS.format(items=1000, size=1000, text=100),
    "a design that is not measured": _MORE.replace("stored", "other"),
}

FIXED = {"ten times as many items": _RIGHT}

MEASURED = {
    "ten times as many items",
    "items of another size",
    "the declared numbers",
    "fewer items than declared",
}
