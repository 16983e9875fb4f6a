"""The rule about tables with a TTL attribute that no entity has."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.sequences import Counter
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import table_subject
from pksk.schema import Table


@rule("nothing-expires")
def nothing_expires(design: Design) -> Iterator[Finding]:
    """A table with a TTL attribute that no entity has.

    ## What it does

    Finds tables with `ttl=` if no entity of the table has a field with that attribute.

    ## Why is this bad?

    An item without the attribute never expires. Nothing reports it: the table grows, and its storage is paid for.

    ## Example

        sessions = Table("sessions", ttl="expires")

        class Session(Entity, table=sessions):
            token: str
            valid_until: int
            primary = Key("{token}", "SESSION")

    ## Use instead

        expires: Annotated[datetime, TTL()]

    If another program writes the attribute, accept the finding; if nothing is to expire, leave out `ttl=`.
    """
    for table in design.tables:
        entities = [each for each in table.entities if not issubclass(each.entity, Counter)]
        attributes = {field.attribute for each in entities for field in each.fields.values()}
        if table.ttl and entities and table.ttl not in attributes:
            yield _finding(table)


def _finding(table: Table) -> Finding:
    return Finding(
        nothing_expires.code,
        "info",
        table_subject(table),
        f"items expire by {table.ttl!r}, and no entity has it, so that nothing expires.",
        (),
        f'mark a field of an entity: {table.ttl}: Annotated[datetime, TTL()]; or leave out ttl="{table.ttl}".',
    )
