"""The rule about key attributes with general names in a table of one entity, where the table asks for others."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pksk.model.sequences import Counter
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import table_subject
from pksk.schema import Table

_GENERAL = re.compile(r"(?:(?:gsi|lsi|g|l)_?\d*_?)?(?:pk|sk|hash|range)_?\d*|[gl]s?i?\d+", re.IGNORECASE)


@rule("meaningful-key-names")
def meaningful_key_names(design: Design) -> Iterator[Finding]:
    """Key attributes with names such as pk and sk in a table of one entity, which asks for names with a meaning.

    ## What it does

    In tables with `conventions=["meaningful-key-names"]` and one entity it finds key attributes of the table and its
    indexes whose names say nothing: `pk`, `sk`, `gsi1pk`. Tables of several entities need such names.

    ## Why is this bad?

    It is not bad by itself. But where all items are alike, `customer` and `day` say in the console, in an export and to
    another program what the keys are, and items need no copy of these values.

    ## Example

        orders = Table("orders", conventions=["meaningful-key-names"])

        class Order(Entity, table=orders):
            customer: str
            day: date
            primary = Key("{customer}", "{day}")

    ## Use instead

        orders = Table("orders", pk="customer", sk="day", conventions=["meaningful-key-names"])
    """
    for table in design.following(meaningful_key_names.code):
        entities = [each for each in table.entities if not issubclass(each.entity, Counter)]
        names = [each for each in _key_attributes(table) if _GENERAL.fullmatch(each)]
        if len(entities) == 1 and names:
            yield Finding(
                meaningful_key_names.code,
                "warning",
                table_subject(table),
                f"the key attributes {', '.join(names)} say nothing, and {entities[0].name} is the only entity of "
                f"table {table.name!r}, which asks for names with a meaning.",
                (),
                'name them after what they hold, for example pk="customer", sk="day".',
            )


def _key_attributes(table: Table) -> list[str]:
    indexes = (table.primary, *(each for each in table.indexes if each.kind in ("gsi", "lsi")))
    return list(dict.fromkeys(name for each in indexes for name in (*each.partition, *each.sort)))
