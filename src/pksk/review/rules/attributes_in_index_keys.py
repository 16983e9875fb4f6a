"""The rule about index keys that join several fields in one text, where a table asks for attributes of their own."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.keys import Template
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey, KeyPart
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import key_subject

_MOST = 4


@rule("attributes-in-index-keys")
def attributes_in_index_keys(design: Design) -> Iterator[Finding]:
    """An index key that joins several fields in one text, in a table that asks for attributes of their own.

    ## What it does

    In tables with `conventions=["attributes-in-index-keys"]` it finds keys of global indexes with a template of two to
    four whole fields, which could be as many attributes of the index.

    ## Why is this bad?

    It is not bad by itself, and pksk keeps such keys up to date. But since 2025 a key of a global index may have up to
    four attributes: the fields as they are. Items need no further attribute, other programs cannot forget to write it,
    and an index that is added later has all items without a rewrite. Queries name all attributes of a partition key,
    and those of a sort key from left to right.

    ## Example

        shop = Table("shop", indexes=[GSI("by-status", pk="g1", sk="g2")], conventions=["attributes-in-index-keys"])

        by_status = Key("{tenant}#{status}", "{day}", index="by-status")

    ## Use instead

        shop = Table("shop", indexes=[GSI("by-status", pk=["tenant", "status"], sk="day")])

        by_status = Key(("{tenant}", "{status}"), "{day}", index="by-status")
    """
    for table in design.following(attributes_in_index_keys.code):
        for declaration in table.entities:
            for key in declaration.keys.values():
                if table.index(key.index).kind == "gsi" and key.shard is None:
                    yield from _check(declaration, key)


def _check(declaration: Declaration, key: EntityKey) -> Iterator[Finding]:
    for parts in (key.partition, key.sort):
        if len(parts) == 1 and _is_joined(parts[0]):
            names = ", ".join(map(repr, parts[0].fields))
            yield Finding(
                attributes_in_index_keys.code,
                "warning",
                key_subject(declaration, key),
                f"it joins {' and '.join(parts[0].fields)} in one attribute, and table {declaration.table.name!r} asks "
                "for attributes of their own.",
                (),
                f"name the attributes in the index, [{names}], and write a tuple of templates in the key.",
            )


def _is_joined(part: KeyPart) -> bool:
    """Whether a template has several whole fields."""
    writer = part.writer
    return (
        isinstance(writer, Template)
        and 2 <= len(writer.parts) <= _MOST
        and len(set(part.fields)) == len(writer.parts)
        and not any(each.lossy for each in writer.parts)
    )
