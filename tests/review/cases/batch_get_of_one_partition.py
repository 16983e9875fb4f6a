"""Designs for the rule about batches that read many small items of one partition."""

_COUNTS = """
    counts = Table("counts")

    class Count(Entity, table=counts, items=100_000):
        day: date
        hour: int
        primary = Key({key})

        @access({options}item_size={size}, example={{"day": date(2025, 1, 1), "hours": list(range({many}))}})
        @classmethod
        def some(cls, day: date, hours: list[int]) -> Batch["Count"]:
            return batch(*(cls.primary.get(day=day, hour=hour) for hour in hours))
    """
_BY_DAY = '"{day}", "{hour:02d}"'


def _counts(key: str = _BY_DAY, options: str = "rate=100, ", size: int = 200, many: int = 24) -> str:
    return _COUNTS.format(key=key, options=options, size=size, many=many)


FOUND = {"a day": ("info", _counts()), "half a hundred": ("info", _counts(many=50, size=300))}

SILENT = {
    "a partition for each item": _counts('"{day}#{hour:02d}", "META"'),
    "large items": _counts(size=4000),
    "an unknown rate": _counts(options=""),
    "few calls": _counts(options='rate="100/day", '),
    "a single item": _counts(many=1),
}

FIXED = {
    "a day": """
    counts = Table("counts")

    class Count(Entity, table=counts, items=100_000):
        day: date
        hour: int
        primary = Key("{day}", "{hour:02d}")

        @access(rate=100, items=24, item_size=200)
        @classmethod
        def some(cls, day: date, first: int, last: int) -> Query["Count"]:
            return cls.primary(day=day, hour=between(first, last))
    """
}
