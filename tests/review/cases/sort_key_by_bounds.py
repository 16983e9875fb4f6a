"""Designs for the rule about the choice of a sort key by the number of items in a partition."""

_DATES = """
    parks = Table("parks"{conventions})

    class ProductDate(Entity, table=parks{bound}):
        product: str
        day: date
        at: AwareDatetime
        kind: Literal["open", "closed"]
        id: UUID
        name: str
        primary = Key("productDate::{{product}}", "{sort}")
    """
_ASKED = ', conventions=["sort-key-by-bounds"]'
_BOUND = ", per_partition=366"

FOUND = {
    "a random id in a bounded partition": (
        "warning",
        _DATES.format(conventions=_ASKED, bound=_BOUND, sort="{id}"),
    ),
    "a day without a declared bound": ("warning", _DATES.format(conventions=_ASKED, bound="", sort="{day}")),
    "a kind without a declared bound": (
        "warning",
        _DATES.format(conventions=_ASKED, bound="", sort="{kind}"),
    ),
}

SILENT = {
    "a table that does not ask": _DATES.format(conventions="", bound=_BOUND, sort="{id}"),
    "a day in a bounded partition": _DATES.format(conventions=_ASKED, bound=_BOUND, sort="{day}"),
    "a random id in a growing partition": _DATES.format(conventions=_ASKED, bound="", sort="{id}"),
    "a time in a growing partition": _DATES.format(conventions=_ASKED, bound="", sort="{at}"),
    "a text, which may be anything": _DATES.format(conventions=_ASKED, bound="", sort="{name}"),
}

FIXED = {"a random id in a bounded partition": SILENT["a day in a bounded partition"]}
