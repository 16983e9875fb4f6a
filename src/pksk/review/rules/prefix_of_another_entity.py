"""The rule about entities whose sort keys begin with those of another entity."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from pksk.keys import Template
from pksk.keys.comparison import overlap
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import key_subject


@rule("prefix-of-another-entity")
def prefix_of_another_entity(design: Design) -> Iterator[Finding]:
    """An entity whose sort keys begin with the name of another entity in the same partition.

    ## What it does

    Finds pairs of entities that can be in one partition, where the literal at the start of one sort key continues that
    of the other within a word: `ORDER{id}` and `ORDERLINE{id}`, or `collection` and `collection_category`.

    ## Why is this bad?

    pksk ends its prefixes at a delimiter, so its queries are right. But what others write,
    `begins_with(sk, "collection")`, returns the items of both, and so does a filter in the console or of a stream
    consumer.

    ## Example

        Collection:          primary = Key("{id}", "collection")
        CollectionCategory:  primary = Key("{id}", "collection_category#{category_id}")

    ## Use instead

    Names that do not begin with one another, or a delimiter after each:

        CollectionCategory:  primary = Key("{id}", "category#{category_id}")
    """
    for table in design.tables:
        for index in (table.primary, *table.indexes):
            keys = [
                (declaration, key)
                for declaration in table.entities
                for key in declaration.keys.values()
                if key.index == index.name and len(key.sort) == 1
            ]
            for (one, short), (other, long) in permutations(keys, 2):
                if short.source is not long.source and _continues(short, long) and _may_share(short, long):
                    yield _finding(one, short, other, long)


def _literal(key: EntityKey) -> tuple[str, str]:
    """The literal that a sort key begins with, and the delimiter."""
    writer = key.sort[0].writer
    return (writer.literals[0], writer.delimiter.text) if isinstance(writer, Template) else ("", "")


def _continues(short: EntityKey, long: EntityKey) -> bool:
    """Whether the literal of one key goes on within a word of the other."""
    (first, delimiter), (second, _) = _literal(short), _literal(long)
    if not first or first == second or not second.startswith(first) or first.endswith(delimiter):
        return False
    return not second[len(first) :].startswith(delimiter)


def _may_share(one: EntityKey, other: EntityKey) -> bool:
    """Whether both can have one partition key."""
    if len(one.partition) != len(other.partition):
        return False
    pairs = zip(one.partition, other.partition, strict=True)
    return all(overlap(left.writer, right.writer).verdict == "possible" for left, right in pairs)


def _finding(one: Declaration, short: EntityKey, other: Declaration, long: EntityKey) -> Finding:
    text = _literal(short)[0]
    return Finding(
        prefix_of_another_entity.code,
        "info",
        key_subject(other, long),
        f"its sort keys begin with {text!r}, as those of {one.name} do, so begins_with(sk, {text!r}) returns both.",
        (),
        f"begin it with a name that does not continue {text!r}, or with {text!r} and a delimiter.",
    )
