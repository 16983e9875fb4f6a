"""Designs for the rule about entities of several tables that can have the same key."""

_SHOP = """
    shop = Table("shop"{conventions})
    archive = Table("archive"{others})

    class Order(Entity, table=shop):
        number: int
        primary = Key("ORDER#{{number}}", "META")

    class OldOrder(Entity, table=archive):
        {field}
        primary = Key("{key}", "META")
    """
_ASKED = ', conventions=["unique-across-tables"]'
_BOTH = {"conventions": _ASKED, "others": _ASKED}

FOUND = {
    "the same template": ("warning", _SHOP.format(field="number: int", key="ORDER#{number}", **_BOTH)),
    "a template of a wider type": ("warning", _SHOP.format(field="id: str", key="ORDER#{id}", **_BOTH)),
}

SILENT = {
    "one table that does not ask": _SHOP.format(
        field="number: int", key="ORDER#{number}", conventions=_ASKED, others=""
    ),
    "sequences of one name": """
        shop = Table("shop", conventions=["unique-across-tables"])
        archive = Table("archive", conventions=["unique-across-tables"])
        numbers = sequence("orders", table=shop)
        old_numbers = sequence("orders", table=archive)
    """,
    "another literal": _SHOP.format(field="number: int", key="OLD#{number}", **_BOTH),
    "two entities of one table": """
        shop = Table("shop", conventions=["unique-across-tables"])

        class Order(Entity, table=shop):
            number: int
            primary = Key("ORDER#{number}", "META")

        class Refund(Entity, table=shop):
            number: int
            primary = Key("ORDER#{number}", "REFUND")
    """,
}

FIXED = {"the same template": SILENT["another literal"]}
