"""The rule about the choice of a sort key by how many items a partition has, where a table asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any
from uuid import UUID

from pksk.keys.parts.part_types import field_type
from pksk.model.declaration import Declaration
from pksk.model.storing.attributes import value_count
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import key_subject


@rule("sort-key-by-bounds", "how many items a partition has (per_partition=)")
def sort_key_by_bounds(design: Design) -> Iterator[Finding]:
    """A sort key that does not fit the number of items in its partition, in a table that asks for it.

    ## What it does

    In tables with `conventions=["sort-key-by-bounds"]` it compares the last field of each primary sort key with
    `per_partition=` of the entity. A partition with a declared number of items should have a natural sort key, such
    as a day or a name, and no random id. A partition without one should have a number of a sequence, a random id or
    a time: the values of an Enum or a day are bounded, so the bound can be declared.

    ## Why is this bad?

    It is not bad by itself. But a natural key such as the day makes a second item of that day impossible, and can be
    typed by hand; a random id does neither. In a partition that grows without end, a sequence keeps the order of
    creation and short names, and a random id saves the call that draws a number.

    ## Example

        parks = Table("parks", conventions=["sort-key-by-bounds"])

        class ProductDate(Entity, table=parks, per_partition=366):
            product: str
            day: date
            id: UUID
            primary = Key("productDate::{product}", "{id}")

    ## Use instead

        primary = Key("productDate::{product}", "{day}")
    """
    for table in design.following(sort_key_by_bounds.code):
        for declaration in table.entities:
            names = [each for part in declaration.primary.sort for each in part.fields]
            problem, fix = _problem(declaration, names[-1]) if names else ("", "")
            if problem:
                yield Finding(
                    sort_key_by_bounds.code,
                    "warning",
                    key_subject(declaration, declaration.primary),
                    problem,
                    (),
                    fix,
                )


def _problem(declaration: Declaration, name: str) -> tuple[str, str]:
    """What is wrong with the last field of a sort key, and how to fix it; empty texts if nothing is."""
    field, bound = declaration.fields[name], declaration.per_partition
    kind: Any = field_type(field.annotation).type
    is_class = isinstance(kind, type)
    if bound is not None and is_class and (issubclass(kind, UUID) or kind.__name__ == "ULID"):
        what = f"a partition has at most {bound:,} items, and its sort key ends with the random id {name}."
        return what, "use a property that tells the items of a partition apart, such as a day or a name."
    is_day = is_class and issubclass(kind, date) and not issubclass(kind, datetime)
    if bound is None and (is_day or value_count(field) is not None):
        what = f"{name} bounds the number of items in a partition, and the design does not declare it."
        return (
            what,
            "declare per_partition=; or if there is no bound, end the sort key with a number or an id.",
        )
    return "", ""
