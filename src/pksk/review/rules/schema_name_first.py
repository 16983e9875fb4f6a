"""The rule about partition keys that do not begin with the name of their schema, where a table asks for it."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.keys import Template
from pksk.model.declaration import Declaration
from pksk.model.sequences import Counter
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import key_subject


@rule("schema-name-first")
def schema_name_first(design: Design) -> Iterator[Finding]:
    """A partition key that does not begin with the name of its schema, in a table that asks for it.

    ## What it does

    In tables with `conventions=["schema-name-first"]` it finds primary keys whose partition key does not begin with the
    name of the entity: its discriminator value, or its class name. Sequences in partitions of their own are not
    reported.

    ## Why is this bad?

    It is not bad by itself: DynamoDB does not care. But where all keys begin with their schema, a key in a log, in a
    stream record or in a search index says what it is, and keys of different schemas cannot be equal. A convention is
    worth something only without exceptions.

    ## Example

        parks = Table("parks", conventions=["schema-name-first"])

        class Geozone(Entity, table=parks, discriminator="geozone"):
            collection: str
            number: int
            primary = Key("zone::{collection}", "{number}")

    ## Use instead

        primary = Key("geozone::{collection}", "{number}")
    """
    for table in design.following(schema_name_first.code):
        for declaration in table.entities:
            if not issubclass(declaration.entity, Counter) and not _begins_with_name(declaration):
                names = " or ".join(map(repr, _names(declaration)))
                yield Finding(
                    schema_name_first.code,
                    "warning",
                    key_subject(declaration, declaration.primary),
                    f"the partition key {declaration.primary.source.pk[0]!r} does not begin with {names}, and table "
                    f"{table.name!r} asks for the schema name first.",
                    (),
                    f'begin it with the name: "{_names(declaration)[0]}{_delimiter(declaration)}...".',
                )


def _names(declaration: Declaration) -> tuple[str, ...]:
    """The names of an entity's schema: its discriminator value, and the class name as attributes are written."""
    name = declaration.name
    return tuple(dict.fromkeys((declaration.tag, f"{name[:1].lower()}{name[1:]}", name.upper())))


def _begins_with_name(declaration: Declaration) -> bool:
    """Whether the first text of the key is a name, up to the delimiter or the end."""
    writer = declaration.primary.partition[0].writer
    if not isinstance(writer, Template):
        return False
    text, delimiter = writer.literals[0], writer.delimiter.text
    return text.partition(delimiter)[0] in _names(declaration) and (bool(writer.parts) <= (delimiter in text))


def _delimiter(declaration: Declaration) -> str:
    writer = declaration.primary.partition[0].writer
    return writer.delimiter.text if isinstance(writer, Template) else "#"
