"""The rule about indexes that hold whole items, though their queries read a few fields."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.capacity.units import write_units
from pksk.model.bill.month_rows import PatternUse, declared_sizes
from pksk.model.cost.item_sizes import ItemSizes
from pksk.model.declaration import Declaration
from pksk.model.fields.condition_paths import condition_fields
from pksk.model.requests.query import Query
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import table_subject
from pksk.schema import GSI, Table


@rule("wide-projection", "how large items are (item_size=), and models of what queries read (into())")
def wide_projection(design: Design) -> Iterator[Finding]:
    """An index that holds whole items, though its queries read a few of their fields.

    ## What it does

    Finds global indexes with the projection "all" whose queries all name what they read (`into(Model)`). If entries
    with these fields take fewer write units, it reports how many. Items of at most 1 KB are not reported: their entries
    cost one unit anyway.

    ## Why is this bad?

    Each write of an item writes its entry too, and pays for the bytes that the index holds. Queries read these bytes
    again: a page of whole items has far fewer of them.

    ## Example

        GSI("by-author", pk="g1", sk="g2")

    with articles of 8 KB, and a query `.into(Title)` that shows their titles.

    ## Use instead

        GSI("by-author", pk="g1", sk="g2", projection=["title"])

    Projections cannot be changed: create another index, move the queries, and delete the old one.
    """
    for table in design.tables:
        for index in table.indexes:
            if isinstance(index, GSI) and index.projection == "all":
                yield from _check(design, table, index)


def _check(design: Design, table: Table, index: GSI) -> Iterator[Finding]:
    holders = [each for each in table.entities if any(key.index == index.name for key in each.keys.values())]
    readers = [use for use in design.uses if (table.name, index.name, "read") in use.estimate.touched]
    fields = _fields_read(readers)
    if len(holders) != 1 or not readers or design.is_unclear(table) or fields is None:
        return
    (declaration,) = holders
    whole = declared_sizes(design.uses).get(declaration.entity, (None, ""))[0]
    if whole is None:
        return
    attributes = sorted(declaration.attribute(each) for each in fields if each in declaration.fields)
    read_attributes = [each for each in attributes if each not in _key_attributes(declaration, index)]
    narrow = GSI(
        index.name, pk=index.partition_key, sk=index.sort_key or None, projection=read_attributes or "keys"
    ).with_table_key(table.primary)
    entry = ItemSizes(declaration, whole).entry(narrow)
    if entry is None or write_units(entry) >= write_units(whole):
        return
    projection = f"[{', '.join(map(repr, read_attributes))}]" if read_attributes else '"keys"'
    names = ", ".join(use.pattern.name for use in readers)
    yield Finding(
        wide_projection.code,
        "info",
        table_subject(table, index.name),
        f"its entries take {write_units(whole):g} write units, and {write_units(entry):g} with what is read of them.",
        (f"{names}: reads {', '.join(attributes)}", f"{entry:,} of {whole:,} bytes an entry"),
        f"project these only: projection={projection}.",
        certain=False,
    )


def _fields_read(readers: list[PatternUse]) -> set[str] | None:
    """All fields that some queries read; None if one of them reads whole entities."""
    fields: set[str] = set()
    for use in readers:
        for request in use.requests:
            if not isinstance(request, Query) or request.model is None or len(request.key_queries) != 1:
                return None
            fields |= set(request.model.model_fields)
            fields |= set(request.key_queries[0].values)
            fields |= set(condition_fields(request.condition)) if request.condition is not None else set()
    return fields


def _key_attributes(declaration: Declaration, index: GSI) -> frozenset[str]:
    table = declaration.table
    return frozenset((*table.key_attributes, *index.partition, *index.sort))
