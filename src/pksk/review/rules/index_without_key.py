"""The rule about entities that are in an index without a key of their own there."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.cost.item_sizes import may_hold
from pksk.model.declaration import Declaration
from pksk.model.sequences import Counter
from pksk.partitions import Ceiling
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.loads import units_text
from pksk.review.source_lines import entity_subject
from pksk.schema import GSI


@rule("index-without-key", "the rates of writes (rate=)")
def index_without_key(design: Design) -> Iterator[Finding]:
    """An entity that is in an index without a key of its own there, as it has the index's attributes anyway.

    ## What it does

    Finds entities that are in a global index although they declare no key for it: the index uses names of their fields,
    of the table's keys, or the discriminator. If the partition key of the index is then the same for all items of the
    entity, and receives more writes than one key serves, that is an error. Otherwise it is a remark, if access patterns
    read the index; an index that is not read at all is another finding.

    ## Why is this bad?

    Every item that has all key attributes of an index is in it, whether it is meant to be or not. Each write of it
    writes the entry too. In an index by the discriminator, or in an inverted one (`pk="sk", sk="pk"`), all items of an
    entity may be under one key: writes of the index are throttled, and so those of the table.

    ## Example

        shop = Table("shop", indexes=[GSI("by-type", pk="type", sk="sk")])  # every item of the table has both

    ## Use instead

    Attributes that only keys write, so that an entity is in the index if it has a key there:

        shop = Table("shop", indexes=[GSI("by-customer", pk="g1", sk="g2")])
    """
    for table in design.tables:
        for index in table.indexes:
            for declaration in table.entities if isinstance(index, GSI) else ():
                assert isinstance(index, GSI)
                if _is_inside(index, declaration):
                    yield from _check(design, declaration, index)


def _is_inside(index: GSI, declaration: Declaration) -> bool:
    has_key = any(key.index == index.name for key in declaration.keys.values())
    return not has_key and not issubclass(declaration.entity, Counter) and may_hold(index, declaration)


def _check(design: Design, declaration: Declaration, index: GSI) -> Iterator[Finding]:
    writes = _writes(design, declaration, index) if _is_constant(declaration, index.partition) else 0.0
    ceiling, name = Ceiling("write"), declaration.table.name
    attributes = " and ".join(map(repr, (*index.partition, *index.sort)))
    evidence = f"it has {attributes}, the key attributes of the index"
    fix = "give the index attributes of its own, such as pk='g1', which only keys write."
    if writes > ceiling.units:
        yield Finding(
            index_without_key.code,
            "error",
            entity_subject(declaration),
            f"every {declaration.name} is in index {index.name!r} under one partition key, which receives "
            f"{units_text(writes)} write units a second and serves {ceiling.units:,}.",
            (evidence, str(ceiling)),
            fix,
        )
    elif any((name, index.name, "read") in use.estimate.touched for use in design.uses):
        yield Finding(
            index_without_key.code,
            "info",
            entity_subject(declaration),
            f"{declaration.name} has no key in index {index.name!r}, and is in it all the same.",
            (evidence,),
            fix,
        )


def _is_constant(declaration: Declaration, attributes: tuple[str, ...]) -> bool:
    """Whether these attributes are the same in all items of an entity: literals, or the discriminator."""
    literals = {part.attribute for key in declaration.keys.values() for part in key.parts if not part.fields}
    return set(attributes) <= literals | {declaration.table.discriminator}


def _writes(design: Design, declaration: Declaration, index: GSI) -> float:
    """The write units of an index that access patterns of this entity alone take a second."""
    return sum(
        use.per_second.charge_of(declaration.table.name, index.name).write
        for use in design.uses
        if use.per_second is not None
        and {each for request in use.requests for each in request.entities} == {declaration.entity}
    )
