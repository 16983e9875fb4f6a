"""Designs for the rule about ranges over codes of different lengths."""

_CELLS = """
    cells = Table("cells")

    class Cell(Entity, table=cells):
        level: int
        code: {type}
        primary = Key("CELLS", "{sort}")

        @access(rate=1, items=20)
        @classmethod
        def within(cls, first: str, last: str) -> Query["Cell"]:
            return cls.primary({values})
    """
_RANGE = "code=between('w00', 'wzz')"

FOUND = {
    "of one to eight characters": (
        "info",
        _CELLS.format(type="Annotated[str, Field(min_length=1, max_length=8)]", sort="{code}", values=_RANGE),
    ),
    "of up to six characters": (
        "info",
        _CELLS.format(type="Annotated[str, Field(max_length=6)]", sort="{code}", values=_RANGE),
    ),
}

SILENT = {
    "of one length": _CELLS.format(
        type="Annotated[str, Field(min_length=3, max_length=3)]", sort="{code}", values=_RANGE
    ),
    "names": _CELLS.format(type="Annotated[str, Field(max_length=80)]", sort="{code}", values=_RANGE),
    "texts of which the length is not declared": _CELLS.format(type="str", sort="{code}", values=_RANGE),
    "those that begin alike": _CELLS.format(
        type="Annotated[str, Field(max_length=6)]", sort="{code}", values="code=begins('w')"
    ),
}

FIXED = {
    "of up to six characters": SILENT["of one length"].replace(
        "class Cell(Entity, table=cells)", ("class Cell(Entity, table=cells, items=1000)")
    )
}
