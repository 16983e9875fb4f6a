"""Designs for the rule about indexes that hold more than their queries read."""

_ARTICLES = """
    from pydantic import BaseModel

    articles = Table("articles", indexes=[GSI("by-author", pk="g1", sk="g2"{projection})])

    class Title(BaseModel):
        article: str
        title: str

    class Article(Entity, table=articles, items=10_000):
        article: str
        author: str
        title: str
        text: str
        primary = Key("{{article}}", "META")
        by_author = Key("{{author}}", "{{article}}", index="by-author")

        @access(rate=5, item_size={size})
        @classmethod
        def add(cls, article: "Article") -> Put["Article"]:
            return Put(article)

        @access(rate=20, items=20, item_size={size})
        @classmethod
        def titles(cls, author: str) -> Query[Title]:
            return cls.by_author(author=author).into(Title)
    {more}
    """


def _articles(size: int = 8000, projection: str = "", more: str = "") -> str:
    return _ARTICLES.format(size=size, projection=projection, more=more)


FOUND = {
    "titles of articles": ("info", _articles()),
    "items of a little more than a kilobyte": ("info", _articles(1200)),
}

SILENT = {
    "small items": _articles(900),
    "a narrow projection": _articles(projection=', projection=["title", "article"]'),
    "a query of whole items": _articles(
        more="""
        @access(rate=1, items=20)
        @classmethod
        def of_author(cls, author: str) -> Query["Article"]:
            return cls.by_author(author=author)
    """
    ),
}

FIXED = {"titles of articles": _articles(projection=', projection=["title", "article"]')}
