"""Designs for the rule about small updates of large items."""

_PAGES = """
    pages = Table("pages")

    class Page(Entity, table=pages):
        page: str
        text: str = ""
        views: int = 0
        title: str = ""
        primary = Key("PAGE#{{page}}", "{sort}")

        @access({options})
        @classmethod
        def change(cls, page: str, text: str) -> Update["Page"]:
            return cls.primary.update(page=page).{change}
    """


def _pages(change: str, options: str, sort: str = "META") -> str:
    return _PAGES.format(change=change, options=options, sort=sort)


FOUND = {
    "a counter": ("warning", _pages("add(views=1)", "rate=30, item_size=20_000")),
    "a short text": ("warning", _pages("set(title=text)", "rate=10, item_size=50_000")),
}

SILENT = {
    "small items": _pages("add(views=1)", "rate=3000, item_size=2000"),
    "a low rate": _pages("add(views=1)", 'rate="1000/day", item_size=20_000'),
    "an unknown size": _pages("add(views=1)", "rate=30"),
    "a list that grows, and may be what is large": """
        pages = Table("pages")

        class Page(Entity, table=pages):
            page: str
            lines: list[str] = []
            primary = Key("PAGE#{page}", "META")

            @access(rate=300, item_size=20_000)
            @classmethod
            def log(cls, page: str, line: str) -> Update["Page"]:
                return cls.primary.update(page=page).append(lines=[line])
        """,
    "a text as large as the item": _pages(
        "set(text=text)", "rate=30, item_size=20_000, example={'page': 'a', 'text': 'x' * 15_000}"
    ),
}

FIXED = {"a counter": _pages("add(views=1)", "rate=30, item_size=100", sort="VIEWS")}
