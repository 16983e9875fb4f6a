"""What of an entity can be searched: declared beside its keys, checked when the class is complete."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pksk.errors import DesignError, PkskError, did_you_mean, quote
from pksk.expressions import Condition, evaluate
from pksk.model.extension import EntityExtension
from pksk.model.fields.condition_paths import condition_fields
from pksk.model.fields.field_conditions import condition_on_attributes
from pksk.search.fields import Date, Keyword, SearchField, Text, value_types
from pksk.values import WireItem

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity

_NAME: Final = re.compile("[A-Za-z][A-Za-z0-9_]{0,99}")
_RESERVED: Final = "pksk"


class SearchDocument(EntityExtension):
    """The search documents of an entity: which fields, how they are searched, and which items have one.

    `fields` has the names in the document; a field comes from the entity's field of that name, or from `of=`: the name
    of another field, or a pure function of the entity. With `when`, only items that meet the condition are in the
    index. With `each`, an item has one document for every element of that list (or dict): there `of="rooms.name"` is
    an attribute of the element, and a function gets the entity and the element.

    Example:
        >>> from pksk import Entity, F, Key, Table
        >>> from pksk.search import Keyword, SearchDocument, Text
        >>> class Park(Entity, table=Table("reference", stream=True)):
        ...     id: str
        ...     name: str
        ...     closed: bool = False
        ...     primary = Key("PARK#{id}", "META")
        ...     search = SearchDocument(
        ...         {"name": Text(boost=3), "initial": Keyword(of=lambda park: park.name[:1])},
        ...         when=F.closed == False,
        ...     )
        >>> list(Park.search.bodies(Park(id="1", name="Joffre Lakes")))
        [('', {'name': 'Joffre Lakes', 'initial': 'J'})]
    """

    def __init__(
        self, fields: Mapping[str, SearchField], *, when: Condition | None = None, each: str | None = None
    ) -> None:
        self.fields = dict(fields) if isinstance(fields, Mapping) else {}
        self.when, self.each = when, each
        self._conditions: dict[int, Condition] = {}

    # When the class is complete

    def check(self, declaration: Declaration) -> None:
        """Reject fields, a condition or a list that do not fit the entity."""
        where = f"{declaration.name}.{self.name}"
        if not self.fields:
            _reject(where, "declares no fields.", fix='write SearchDocument({"name": Text()}).')
        for name, field in dict[Any, Any](self.fields).items():
            _check_name(where, name)
            if not isinstance(field, SearchField):
                written = f"{field.__name__}()" if isinstance(field, type) else "Text()"
                _reject(where, f"field {name!r} is {quote(field)}.", fix=f'write {{"{name}": {written}}}.')
            _check_options(f"{where}[{name!r}]", field)
            self._check_source(f"{where}[{name!r}]", declaration, name, field)
        if self.each is not None and self.each not in declaration.fields:
            _reject_unknown(where, declaration, self.each, "each= names")
        if self.when is not None:
            self._check_when(where, declaration)

    def _check_source(self, where: str, declaration: Declaration, name: str, field: SearchField) -> None:
        source = name if field.of is None else field.of
        if callable(source):
            return
        if not isinstance(source, str):
            _reject(
                where,
                f"of={quote(source)} is neither the name of a field nor a function.",
                fix='write of="name".',
            )
        if self.each is not None and source.startswith(f"{self.each}."):
            return
        if source not in declaration.fields:
            _reject_unknown(where, declaration, source, "comes from")
        declared = declaration.fields[source]
        types = value_types(declared.annotation)
        if isinstance(field, Date) and declared.naive:
            _reject(
                where, f"field {source!r} has times without a zone.", fix="use AwareDatetime, or a function."
            )
        if field.types and types and not all(_accepts(field, each) for each in types):
            names = " | ".join(sorted(each.__name__ for each in types))
            _reject(
                where, f"field {source!r} of type {names} is declared as {type(field).__name__}.",
                expected=f"{type(field).__name__} takes: {', '.join(each.__name__ for each in field.types)}.",
                fix="choose another kind of field, or convert the value: of=lambda entity: ....",
            )  # fmt: skip

    def _check_when(self, where: str, declaration: Declaration) -> None:
        if not isinstance(self.when, Condition):
            _reject(
                where,
                f"when={quote(self.when)} is not a condition on fields.",
                fix="write when=F.open == True.",
            )
        for name in condition_fields(self.when):
            if name not in declaration.fields or declaration.fields[name].computed:
                _reject_unknown(where, declaration, name, "when= names")
        try:
            condition_on_attributes(declaration, self.when)
        except PkskError as error:
            _reject(
                where, f"when= cannot be evaluated. {error.problem}", expected=error.expected, fix=error.fix
            )

    # For each item

    def includes(self, declaration: Declaration, item: WireItem) -> bool:
        """Whether a stored item has documents."""
        if self.when is None:
            return True
        condition = self._conditions.get(id(declaration))
        if condition is None:
            condition = self._conditions[id(declaration)] = condition_on_attributes(declaration, self.when)
        return evaluate(condition, item)

    def bodies(self, entity: Entity) -> Iterator[tuple[str, dict[str, Any]]]:
        """The documents of an entity, whether it meets the condition or not: a part of its id, and the fields."""
        for part, element in self._elements(entity):
            body = {}
            for name, read in self._readers.items():
                value = self.fields[name].convert_all(
                    f"{type(entity).__name__}.{self.name}[{name!r}]", read(entity, element)
                )
                if value is not None:
                    body[name] = value
            yield part, body

    def _elements(self, entity: Entity) -> Iterator[tuple[str, Any]]:
        if self.each is None:
            yield "", None
            return
        elements = getattr(entity, self.each)
        if isinstance(elements, Mapping):
            yield from ((str(key), element) for key, element in elements.items())
        else:
            yield from ((str(number), element) for number, element in enumerate(elements or ()))

    @cached_property
    def _readers(self) -> dict[str, Callable[[Any, Any], Any]]:
        return {
            name: self._reader(name if field.of is None else field.of) for name, field in self.fields.items()
        }

    def _reader(self, source: Any) -> Callable[[Any, Any], Any]:
        if callable(source):
            return source if self.each is not None else lambda entity, _: source(entity)
        if self.each is not None and source.startswith(f"{self.each}."):
            name = source.partition(".")[2]
            return lambda _, element: (
                element.get(name) if isinstance(element, Mapping) else getattr(element, name)
            )
        return lambda entity, _: getattr(entity, source)


def _accepts(field: SearchField, kind: type) -> bool:
    if kind is bool and bool not in field.types:
        return False
    return issubclass(kind, field.types) or (isinstance(field, Keyword) and kind.__name__ == "ULID")


def _check_name(where: str, name: object) -> None:
    """Reject a name that OpenSearch would read as a path, or that pksk uses."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name == _RESERVED:
        _reject(
            where, f"{quote(name)} cannot be the name of a search field.",
            expected="A name has letters, digits and '_', begins with a letter, has at most 100 characters, and is not "
            f"{_RESERVED!r}; OpenSearch would read a dot as a path.",
            fix='rename it: {"title_en": Text(of=...)}.',
        )  # fmt: skip


def _check_options(where: str, field: SearchField) -> None:
    if isinstance(field, Text):
        if (
            isinstance(field.boost, bool)
            or not isinstance(field.boost, int | float)
            or not 0 < field.boost < 1e6
        ):
            _reject(
                where,
                f"boost={quote(field.boost)} is not a positive number.",
                fix="write boost=2, for example.",
            )
        if field.language is not None and field.language not in LANGUAGES:
            near = did_you_mean(str(field.language), LANGUAGES)
            _reject(
                where, f"language={quote(field.language)} is not an analyzer of OpenSearch.",
                expected=f"Languages are: {', '.join(LANGUAGES)}.",
                fix=f"did you mean {near!r}?" if near else "leave it out.",
            )  # fmt: skip


def _reject_unknown(where: str, declaration: Declaration, name: str, verb: str) -> NoReturn:
    near = did_you_mean(name, declaration.fields)
    _reject(
        where, f"{verb} field {quote(name)}, which {declaration.name} does not store.",
        expected=f"Fields are: {', '.join(declaration.fields)}.",
        fix=f"did you mean {near!r}?" if near else "name one of them, or a function: of=lambda entity: ....",
    )  # fmt: skip


def _reject(where: str, problem: str, *, expected: str = "", fix: str) -> NoReturn:
    raise DesignError("search-declaration", f"{where}: {problem}", expected=expected, fix=fix)


# https://docs.opensearch.org/latest/analyzers/language-analyzers/index/
LANGUAGES: Final = (
    "arabic", "armenian", "basque", "bengali", "brazilian", "bulgarian", "catalan", "cjk", "czech", "danish", "dutch",
    "english", "estonian", "finnish", "french", "galician", "german", "greek", "hindi", "hungarian", "indonesian",
    "irish", "italian", "latvian", "lithuanian", "norwegian", "persian", "portuguese", "romanian", "russian", "sorani",
    "spanish", "swedish", "thai", "turkish",
)  # fmt: skip
