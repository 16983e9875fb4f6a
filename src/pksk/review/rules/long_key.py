"""The rule about keys that their fields can make too long."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.keys import Template
from pksk.keys.parts.text import TextPart
from pksk.model.entity_key import KeyPart
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import key_subject


@rule("long-key")
def long_key(design: Design) -> Iterator[Finding]:
    """A key that is too long if its fields are as long as their types allow.

    ## What it does

    Adds up the literals of a key and the declared maximum lengths of its fields, with one byte for each character. It
    reports keys that can then be longer than DynamoDB allows: 2,048 bytes for a partition key, 1,024 for a sort key.

    ## Why is this bad?

    Such an item passes the validation of your model, and cannot be stored: pksk raises an error when it renders the
    key. Users find out when they save.

    ## Example

        title: Annotated[str, Field(max_length=2_000)]
        primary = Key("AUTHOR#{author}", "{title}")

    ## Use instead

    A shorter maximum, the beginning of the text with an id that makes it unique (`{title:.50}#{id}`), or a hash of it.
    """
    for declaration, key in design.keys:
        for part in key.parts:
            longest = _longest(part)
            limit = part.writer.limit if isinstance(part.writer, Template) else longest
            if longest > limit:
                yield Finding(
                    long_key.code,
                    "warning",
                    key_subject(declaration, key),
                    f"with a long {' and '.join(part.fields)}, {part.attribute!r} has {longest:,} bytes, and "
                    f"DynamoDB accepts {limit:,}.",
                    (),
                    "declare a shorter maximum length, or put a beginning or a hash of the text into the key.",
                )


def _longest(part: KeyPart) -> int:
    """The bytes of a key with each text as long as its type allows, as far as types do."""
    if not isinstance(part.writer, Template):
        return 0
    literals = sum(len(each.encode()) for each in part.writer.literals)
    return literals + sum(
        (each.encoded_length[1] or each.encoded_length[0])
        if isinstance(each, TextPart)
        else each.bytes_range[0]
        for each in part.writer.parts
    )
