"""The rule about items that a query of an index never returns, as they lack a field of its sort key."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.cost.item_sizes import may_be_missing
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.queries import KeyRead, key_reads
from pksk.review.source_lines import key_subject


@rule("left-out-of-index", "access patterns that read (@access)")
def left_out_of_index(design: Design) -> Iterator[Finding]:
    """Items that a query of an index never returns, as they lack a field of its sort key.

    ## What it does

    Finds keys of indexes whose sort key has an optional field, while an access pattern queries all items of a partition
    key. Keys with `when=`, and those whose partition key has the optional field, are sparse on purpose.

    ## Why is this bad?

    An item is in an index only if it has all of its key attributes. If a field of the sort key is None, the item is
    missing from the index, without an error: a list of a customer's orders by due date lacks those without a due date.

    ## Example

        due: date | None = None
        by_customer = Key("{customer}", "{due}", index="by-customer")

    ## Use instead

    Sort by a field that every item has, such as its id, or give the field a value that means "none" and sorts last. If
    these items are meant to be missing, say so: `when=F.due.exists()`.
    """
    reads = {(id(read.key.source), read.use.pattern.name): read for read in key_reads(design)}
    for declaration, key in design.keys:
        if key.index is None or key.when is not None or _optional(declaration, key.partition_fields):
            continue
        names = _optional(declaration, (name for part in key.sort for name in part.fields))
        own = [read for (source, _), read in reads.items() if source == id(key.source)]
        patterns = [read for read in own if names and not names & read.values.keys()]
        if patterns:
            yield _finding(declaration, key, sorted(names), patterns)


def _optional(declaration: Declaration, names: Iterator[str] | tuple[str, ...]) -> set[str]:
    fields = ((name, declaration.fields.get(name)) for name in names)
    return {name for name, field in fields if field is not None and may_be_missing(field)}


def _finding(declaration: Declaration, key: EntityKey, names: list[str], reads: list[KeyRead]) -> Finding:
    patterns = " and ".join(dict.fromkeys(read.use.pattern.name for read in reads))
    fields = " or ".join(names)
    return Finding(
        left_out_of_index.code,
        "info",
        key_subject(declaration, key),
        f"an item without {fields} is not in index {key.index!r}, so {patterns} never returns it.",
        (),
        f"sort by a field that every item has, or say that this is meant: when=F.{names[0]}.exists().",
    )
