"""The rule about partition keys that people cannot guess, where a table asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from pksk.keys.parts.part_types import field_type
from pksk.model.declaration import Declaration
from pksk.model.sequences import Counter
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import key_subject

_UNGUESSABLE = ("ULID",)


@rule("guessable-partition-keys")
def guessable_partition_keys(design: Design) -> Iterator[Finding]:
    """A partition key with an id that people cannot guess, in a table that asks for guessable ones.

    ## What it does

    In tables with `conventions=["guessable-partition-keys"]` it finds primary keys whose partition key has a UUID, a
    ULID or bytes.

    ## Why is this bad?

    It is not bad by itself: random ids spread as evenly as any. But people who look for an error at night type keys
    by hand, and `geozone::park_1` can be typed. Sort keys may have random ids: a query of the partition lists them.

    ## Example

        parks = Table("parks", conventions=["guessable-partition-keys"])

        class Geozone(Entity, table=parks):
            collection_id: UUID
            number: int
            primary = Key("geozone::{collection_id}", "{number}")

    ## Use instead

    A name or a number that people know in the partition key, and the UUID in an index of its own:

        primary = Key("geozone::{collection}", "{number}")
        by_collection_id = Key("{collection_id}", index="by-collection-id")
    """
    for table in design.following(guessable_partition_keys.code):
        for declaration in table.entities:
            names = [each for each in declaration.primary.partition_fields if _is_random(declaration, each)]
            if names and not issubclass(declaration.entity, Counter):
                yield Finding(
                    guessable_partition_keys.code,
                    "warning",
                    key_subject(declaration, declaration.primary),
                    f"nobody can guess {' or '.join(names)}, and table {table.name!r} asks for partition keys that "
                    "people can guess.",
                    (),
                    "use a name or a number that people know, and an index for the lookup by id.",
                )


def _is_random(declaration: Declaration, name: str) -> bool:
    kind: Any = field_type(declaration.fields[name].annotation).type
    is_class = isinstance(kind, type)
    return is_class and (issubclass(kind, UUID | bytes) or kind.__name__ in _UNGUESSABLE)
