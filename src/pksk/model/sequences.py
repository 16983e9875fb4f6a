"""Sequences: numbers drawn one after the other, by atomic updates of a counter item."""

from __future__ import annotations

import re
from types import new_class
from typing import Annotated, Any, ClassVar, Final

from pydantic import ConfigDict

from pksk.dataclass import dataclass
from pksk.errors import DesignError, InvalidValue, did_you_mean, quote
from pksk.keys import Template
from pksk.keys.parse import Placeholder, parse
from pksk.keys.parts.part_types import field_type, guess_types
from pksk.model.entity import Entity
from pksk.model.key import BoundKey, Key, Texts
from pksk.model.markers import Attribute
from pksk.model.requests.get import Get
from pksk.model.requests.update import Update
from pksk.schema import Table

# DynamoDB would allow more; a lost block leaves a gap of this size.
MAX_BLOCK_SIZE: Final = 10_000

# A number has 38 digits: above this one there is room for more than any program draws.
MAX_NUMBER: Final = 10**37 - 1

# The literal that a sequence in a partition of its own begins with, and its sort key.
OWN_PARTITION: Final = "sequence"


class Counter(Entity):
    """The item that holds a sequence: the last number drawn."""

    # Deferred for this class alone, as for Entity: its subclasses, one for each sequence, have schemas.
    model_config: ClassVar[ConfigDict] = ConfigDict(defer_build=True)

    last: int = 0


del Counter.model_config["defer_build"]


@dataclass(frozen=True)
class Sequence:
    """Numbers from 1 on, each drawn once, with gaps where one was not used; each combination of parts has a series.

    Example:
        >>> from pksk import Table, sequence
        >>> zones = sequence("zone::{collection}", table=Table("parks"))
        >>> request = zones.take(collection="north").request
        >>> request["Key"]
        {'pk': {'S': 'sequence::zone::north'}, 'sk': {'S': 'sequence'}}
    """

    example: ClassVar[str] = "sequence(...)"

    template: str
    entity: type[Counter]

    def take(self, count: int = 1, /, **parts: Any) -> Update[Counter]:
        """Draw so many numbers: the update whose new `last` is the last of them."""
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MAX_BLOCK_SIZE:
            raise InvalidValue(
                "sequence-count",
                f"sequence {self.template!r}: take({quote(count)}); one call takes 1 to {MAX_BLOCK_SIZE:,} numbers.",
                fix="pass a whole number, and draw more in several blocks.",
            )
        return self._key.update(**parts).add(last=count).upsert()

    def peek(self, **parts: Any) -> Get[Counter]:
        """Read the last number that was drawn, as of now."""
        return self._key.get(**parts).consistently()

    @property
    def _key(self) -> BoundKey[Counter]:
        return BoundKey(self.entity, "primary")


def sequence(
    template: str,
    *,
    table: Table,
    key: tuple[str, ...] | None = None,
    attribute: str = "last",
    name: str | None = None,
    one_per_bucket: Texts = (),
    **types: Any,
) -> Sequence:
    """Declare a sequence. Each combination of the `{parts}` in its template has a series of its own.

    Parts are text, unless `types` declares another type. The counter has a partition of its own, so drawing numbers
    adds no load to the partitions of entities. For an existing counter, pass its partition and sort key as `key` (only
    the partition key in a table without sort key), and the attribute of its number as `attribute`. The sequence is
    registered on the table like an entity, as `name`, or under a name derived from its template. A part such as
    `{day:%Y-%m}` counts for all days of a month together, which `one_per_bucket=("day",)` confirms.

    Example:
        >>> from pksk import Table
        >>> orders = sequence("orders", table=Table("shop"), key=("counters", "orders"), attribute="n")
        >>> orders.take(10).request["Key"]["pk"]
        {'S': 'counters'}
    """
    _check_options(template, table, key, attribute, name)
    fields = _part_types(template, key or (), types)
    parsed = Template(template, fields, where=f"sequence {template!r}")
    own = (f"{OWN_PARTITION}{parsed.delimiter.text}{template}", OWN_PARTITION)
    _check_parts(template, key)
    _check_new(template, table, name or _class_name(template))
    annotations = {**fields, "last": Annotated[int, Attribute(attribute)]}
    texts = key or (own if table.sk else own[:1])
    primary = Key(*texts, single_item=not _has_parts(texts), one_per_bucket=one_per_bucket)
    body = {"__annotations__": annotations, "last": 0, "primary": primary, "__module__": __name__}
    counter: type[Counter] = new_class(
        name or _class_name(template), (Counter,), {"table": table}, lambda space: space.update(body)
    )
    return Sequence(template, counter)


def _check_options(template: object, table: object, key: object, attribute: object, name: object) -> None:
    if not isinstance(table, Table):
        raise _option_error(template, "table", table, "a Table", "table=Table('shop')")
    keys = ("counters", "orders") if table.sk else ("counters",)
    texts = isinstance(key, tuple | list) and all(isinstance(each, str) for each in key)
    if key is not None and not (texts and len(key) == len(keys)):  # type: ignore[arg-type]  # mypy: `texts` says it
        what = "a pair of the partition key and the sort key" if table.sk else "the partition key alone"
        raise _option_error(template, "key", key, f"{what} of table {table.name!r}", f"key={keys!r}")
    if not isinstance(attribute, str) or not attribute:
        raise _option_error(template, "attribute", attribute, "the name of an attribute", "attribute='last'")
    if name is not None and not (isinstance(name, str) and name.isidentifier()):
        raise _option_error(template, "name", name, "a name as a class has one", "name='OrderNumbers'")


def _option_error(template: object, option: str, value: object, what: str, example: str) -> DesignError:
    return DesignError(
        "sequence-option",
        f"sequence {quote(template)}: {option}={quote(value)} is not {what}.",
        fix=f"write {example}, for example.",
    )


def _has_parts(texts: tuple[str, ...]) -> bool:
    return any(isinstance(each, Placeholder) for text in texts for each in parse(text))


def _check_parts(template: str, key: tuple[str, ...] | None) -> None:
    """Reject a part of the template that the key does not contain: all its series would share one counter."""
    in_key = [
        each.field for text in key or (template,) for each in parse(text) if isinstance(each, Placeholder)
    ]
    for each in parse(template):
        if isinstance(each, Placeholder) and each.field not in in_key:
            raise DesignError(
                "sequence-option",
                f"sequence {template!r}: each {{{each.field}}} has its own counter, but key={quote(key)} does not "
                "contain it.",
                fix=f"write {{{each.field}}} into the key, or take it out of the template.",
            )


def _check_new(template: str, table: Table, name: str) -> None:
    """Reject a sequence whose name the table has already."""
    for other in table.entities:
        if other.name == name and issubclass(other.entity, Counter):
            raise DesignError(
                "sequence-twice",
                f"sequence {template!r}: table {table.name!r} already has a sequence {name}.",
                expected="A sequence is declared once, and imported where numbers are drawn.",
                fix="use that one, or give this one another name: sequence(..., name='Other').",
            )


def _part_types(template: str, key: tuple[str, ...], types: dict[str, Any]) -> dict[str, Any]:
    """The parts of a sequence with their types; a width, as in {n:04d}, says that a part is a number."""
    placeholders = tuple(
        each for text in (template, *key) for each in parse(text) if isinstance(each, Placeholder)
    )
    fields = {name: field_type(kind).type for name, kind in guess_types(placeholders).items()} | types
    if "last" in fields:
        raise InvalidValue(
            "sequence-type",
            f"sequence {template!r}: {{last}} is the number itself, and cannot be a part of the template.",
            fix="give the part another name.",
        )
    parts = list(dict.fromkeys(each.field for each in placeholders))
    unknown = [name for name in types if name not in parts]
    if unknown:
        near = did_you_mean(unknown[0], parts)
        raise InvalidValue(
            "sequence-type",
            f"sequence {template!r}: {unknown[0]!r} has a type, but is not a part of the template.",
            fix=f"did you mean {near!r}?"
            if near
            else "take it out, or write {" + unknown[0] + "} where it belongs.",
        )
    return fields


def _class_name(template: str) -> str:
    """The name of the entity behind a sequence."""
    words = re.findall(r"[A-Za-z0-9]+", re.sub(r"\{[^}]*\}", " ", template))
    return "".join(word[:1].upper() + word[1:] for word in words) + "Sequence"
