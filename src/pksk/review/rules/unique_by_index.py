"""The rule about queries that expect one item of an index, by a value that nothing keeps unique."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.keys import Operator
from pksk.keys.parts.part_types import field_type
from pksk.model.bill.month_rows import PatternUse
from pksk.model.markers import Unique
from pksk.model.requests.query import Query
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import pattern_subject


@rule("unique-by-index", "how many items a call reads (items=)")
def unique_by_index(design: Design) -> Iterator[Finding]:
    """A query that expects one item of an index, by a text that nothing keeps unique.

    ## What it does

    Finds queries of a global index that declare one item a call (`items=1`), by a single text which is neither in the
    primary key nor marked `Unique()`. Generated ids, such as a UUID, are not reported.

    ## Why is this bad?

    Keys of an index need not be unique. Two people who register with one e-mail address at the same time get two items,
    and from then on the query finds either of them. Looking before the write does not help: an index is updated later
    than its table, and both may look first.

    ## Example

        by_email = Key("{email}", index="by-email")

        @access(rate=5, items=1)
        @classmethod
        def with_email(cls, email: str) -> Query["User"]:
            return cls.by_email(email=email)

    ## Use instead

        email: Annotated[str, Unique()]

    Each write then takes the value in the same transaction, and a second one raises `UniqueViolation`. If several items
    may have the value, declare how many a call reads.
    """
    for use in design.uses:
        if use.pattern.options.items == 1 and len(use.requests) == 1:
            (request,) = use.requests
            if isinstance(request, Query) and len(request.key_queries) == 1 and request.max_results is None:
                yield from _check(use, request)


def _check(use: PatternUse, query: Query) -> Iterator[Finding]:
    (key_query,) = query.key_queries
    declaration, index = key_query.declaration, query.plan.index
    if index is None or declaration.table.index(index).kind != "gsi":
        return
    values = key_query.values
    if len(values) != 1 or query.condition is not None:
        return
    ((name, value),) = values.items()
    field = declaration.fields[name]
    is_unique = any(isinstance(each, Unique) for each in field.markers)
    if isinstance(value, Operator) or field_type(field.annotation).type is not str or is_unique:
        return
    if name not in declaration.primary.fields:
        yield Finding(
            unique_by_index.code,
            "info",
            pattern_subject(use.pattern),
            f"it expects one item by {name}, and an index does not keep its keys unique.",
            (f"items=1, by {name} in {declaration.table.name}/{index}",),
            f"mark the field: {name}: Annotated[str, Unique()]; or declare how many items a call reads.",
            certain=False,
        )
