"""The rule about queries that rely on the order of a sort key that has no useful order."""

from __future__ import annotations

from collections.abc import Container, Iterator
from uuid import UUID

from pksk.keys import Template
from pksk.keys.parts.numbers import IntPart
from pksk.keys.parts.part import Part
from pksk.model.bill.field_shares import rises
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.model.patterns.pattern import Pattern
from pksk.model.requests.query import Query
from pksk.review.change import Change
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.changes import replace_in_key
from pksk.review.source_lines import pattern_subject

# Wide enough for any 32-bit number; a value with more digits is an error.
_DIGITS = 10


@rule("meaningless-order")
def meaningless_order(design: Design) -> Iterator[Finding]:
    """A query for the first or last items of a sort key that has no useful order.

    ## What it does

    Finds queries with `limit()` or `reverse()` where the sort key goes on with a random UUID, or with a number that is
    not padded. A limit alone on random ids is a remark: it may be the size of a page, in any order.

    ## Why is this bad?

    DynamoDB returns items in the order of their sort keys. Random ids have no order, so the first ten are any ten. The
    text of a number sorts character by character: 10 comes before 9.

    ## Example

        class Order(Entity, table=shop):
            customer: str
            id: UUID = Field(default_factory=uuid4)
            primary = Key("{customer}", "{id}")

            @access(rate=10)
            @classmethod
            def newest(cls, customer: str) -> Query["Order"]:
                return cls.primary(customer=customer).reverse().limit(10)

    ## Use instead

    Begin the sort key with what orders the items: a time (`{at}#{id}`), a padded number (`{number:06d}`), or an id that
    begins with a time, such as a ULID.
    """
    for use in design.uses:
        for request in use.requests:
            if isinstance(request, Query) and (request.descending or request.max_results is not None):
                yield from _check(use.pattern, request)


def _check(pattern: Pattern, query: Query) -> Iterator[Finding]:
    for each in query.key_queries:
        keys = query.plan.keys
        if keys is None:
            continue
        problem = _problem(each.declaration, keys.key, each.values)
        if problem:
            part = _first_part(keys.key, each.values)
            is_page = not query.descending and part is not None and not _is_unpadded(part)
            way = "reverse()" if query.descending else f"limit({query.max_results})"
            yield Finding(
                meaningless_order.code,
                "info" if is_page else "warning",
                pattern_subject(pattern),
                f"its {way} relies on the order of {each.declaration.name}.{keys.key.name}, which {problem}.",
                (),
                "begin the sort key with a time, a padded number or a ULID.",
                certain=not is_page,
                change=_change(each.declaration, keys.key, each.values),
            )


def _first_part(key: EntityKey, values: Container[str]) -> Part | None:
    """The part of the sort key by which the items of a query are sorted."""
    for part in key.sort:
        if not isinstance(part.writer, Template):
            return None
        for each in part.writer.parts:
            if each.field not in values:
                return each
    return None


def _problem(declaration: Declaration, key: EntityKey, values: Container[str]) -> str:
    """Why the items of a query are in no useful order; empty if they are."""
    part = _first_part(key, values)
    if part is None:
        return ""
    if part.value_class is UUID and not rises(declaration, part.field):
        return f"sorts by the random id {part.field!r}"
    return f"sorts {part.field!r} as text, 10 before 9" if _is_unpadded(part) else ""


def _is_unpadded(part: Part) -> bool:
    return isinstance(part, IntPart) and not part.ordered


def _change(declaration: Declaration, key: EntityKey, values: Container[str]) -> Change | None:
    """A number padded to a fixed width; what orders other items is for the author to say."""
    part = _first_part(key, values)
    if part is None or not _is_unpadded(part):
        return None
    return replace_in_key(declaration, key, f"{{{part.field}}}", f"{{{part.field}:0{_DIGITS}d}}")
