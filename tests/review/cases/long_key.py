"""Designs for the rule about keys that their fields can make too long."""

_NOTES = """
    notes = Table("notes", indexes=[GSI("by-title", pk="g1", sk="g2")])

    class Note(Entity, table=notes):
        author: {author}
        title: {title}
        primary = Key("AUTHOR#{{author}}", "{sort}")
        {key}
    """
_SHORT = "Annotated[str, Field(max_length=100)]"
_LONG = "Annotated[str, Field(max_length=1_500)]"

FOUND = {
    "a sort key": ("warning", _NOTES.format(author=_SHORT, title=_LONG, sort="{title}", key="")),
    "a partition key by two fields together": (
        "warning",
        _NOTES.format(
            author=_LONG,
            title=_LONG,
            sort="META",
            key='by_title = Key("{title}#{author}", "{author:.20}", index="by-title")',
        ),
    ),
}

SILENT = {
    "texts without a maximum": _NOTES.format(author="str", title="str", sort="{title}", key=""),
    "short texts": _NOTES.format(author=_SHORT, title=_SHORT, sort="{title}", key=""),
    "the beginning of a long text": _NOTES.format(
        author=_SHORT, title=_LONG, sort="{title:.50}#{title[50:80]}#{author}", key=""
    ).replace('#{author}")', '#{author}", one_per_bucket=("title",))'),
    "a text that fits into a partition key": _NOTES.format(
        author=_LONG, title=_SHORT, sort="{title}", key=""
    ),
}

FIXED = {"a sort key": SILENT["short texts"]}
