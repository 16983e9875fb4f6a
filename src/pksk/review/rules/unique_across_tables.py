"""The rule about entities of several tables that can have the same key, where the tables ask for it."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.primary_overlap import KeyCollision, key_collisions
from pksk.model.sequences import Counter
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import key_subject


@rule("unique-across-tables")
def unique_across_tables(design: Design) -> Iterator[Finding]:
    """Entities of two tables that can have the same key, where both tables ask for unique ones.

    ## What it does

    Compares the primary keys of all entities in tables with `conventions=["unique-across-tables"]`, and finds those
    that can be equal, with an example. If pksk can neither find an example nor prove that there is none, that is a
    remark.

    ## Why is this bad?

    A key is unique within its table only. Where items of several tables go to one place, such as a search index with
    documents named `<pk>#<sk>`, the later item replaces the document of the other one.

    ## Example

        shop = Table("shop", conventions=["unique-across-tables"])
        archive = Table("archive", conventions=["unique-across-tables"])

    where both have `Key("ORDER#{number}", "META")`.

    ## Use instead

    Begin the keys with something that tells the tables apart, such as the schema name: `Key("archivedOrder#{number}",
    "META")`. Or put the name of the table into the names of documents.
    """
    tables = design.following(unique_across_tables.code)
    declared = (each.entity for table in tables for each in table.entities)
    # Counters are not documents.
    for collision in key_collisions(*(each for each in declared if not issubclass(each, Counter))):
        yield _finding(collision)


def _finding(collision: KeyCollision) -> Finding:
    left, right = collision.left.__pksk__, collision.right.__pksk__
    is_certain = collision.overlap.verdict == "possible"
    example = str(collision.overlap).partition(": ")[2]
    return Finding(
        unique_across_tables.code,
        "warning" if is_certain else "info",
        key_subject(left, left.primary),
        f"{left.name} in table {left.table.name!r} and {right.name} in table {right.table.name!r} "
        f"{'can' if is_certain else 'may'} have the same key.",
        (example,) if example else (),
        "begin one of the keys with another literal.",
        certain=is_certain,
    )
