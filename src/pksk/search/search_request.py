"""A search as a value: words, filters, places, order and what to return; a sink runs it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, TypeAlias

from pksk.dataclass import dataclass, field, replace
from pksk.errors import InvalidValue, did_you_mean, quote
from pksk.keys.operators import Operator
from pksk.search.fields import Text

if TYPE_CHECKING:
    from pksk.geometry import Envelope, Geometry, Position
    from pksk.search.search_index import SearchIndex

Relation: TypeAlias = Literal["box", "distance", "intersects", "within"]
_MAX_LIMIT: Final = 10_000
_MAX_FUZZY: Final = 2
_TOKENS: Final = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True)
class Phrase:
    """Words in this order; the last one may be the beginning of a word. A single word may be `fuzzy`."""

    text: str
    prefix: bool = False
    is_word: bool = False


@dataclass(frozen=True)
class Filter:
    """A condition on a field: one of these values, or an operator."""

    field: str
    values: tuple[Any, ...] = ()
    operator: Operator | None = None


@dataclass(frozen=True)
class Place:
    """A condition on a field of places: its relation to a box, a position within metres, or a geometry."""

    field: str
    relation: Relation
    shape: Any
    radius_m: float = 0.0


@dataclass(frozen=True)
class Search:
    """A search of an index; `SearchIndex.search` makes one, and each method returns another one.

    In the text, all words must be found, in any of the searched fields: `lake` as a word, `lak*` as its beginning,
    `"joffre lakes"` as a phrase.

    Example:
        >>> from pksk import Entity, Key, Table, gte
        >>> from pksk.search import Keyword, Number, SearchDocument, SearchIndex, Text
        >>> class Park(Entity, table=Table("reference", stream=True)):
        ...     id: str
        ...     name: str
        ...     visits: int = 0
        ...     primary = Key("PARK#{id}", "META")
        ...     search = SearchDocument({"name": Text(boost=3), "visits": Number()})
        >>> busy = SearchIndex("places", Park).search("lak*").where(visits=gte(100)).sort("-visits").take(10)
        >>> busy.phrases, busy.order, busy.limit
        ((Phrase(text='lak', prefix=True, is_word=True),), '-visits', 10)
    """

    index: SearchIndex
    phrases: tuple[Phrase, ...] = ()
    fields: tuple[str, ...] = ()
    fuzziness: int = 0
    filters: tuple[Filter, ...] = ()
    places: tuple[Place, ...] = ()
    order: str = ""
    facet_fields: tuple[str, ...] = ()
    highlighted: bool = False
    limit: int = 20
    cursor: str = field(default="", repr=False)

    def where(self, **conditions: Any) -> Search:
        """Only documents whose fields have these values: a value, a list of which one must match, or an operator.

        Operators are those of keys: `gte(10)`, `between(1, 5)`, `begins("ab")`.
        """
        added = tuple(self._filter(name, condition) for name, condition in conditions.items())
        return replace(self, filters=(*self.filters, *added))

    def in_box(self, box: Envelope, field: str = "") -> Search:
        """Only places within these bounds, and shapes that have a point there."""
        return self._at(Place(self._place_field(field), "box", box))

    def near(self, position: Position, radius_m: float, field: str = "") -> Search:
        """Only places within this distance."""
        if isinstance(radius_m, bool) or not isinstance(radius_m, int | float) or not radius_m > 0:
            _reject(f"radius_m={quote(radius_m)} is not a positive number", "give the distance in metres")
        return self._at(Place(self._place_field(field), "distance", position, float(radius_m)))

    def intersects(self, shape: Geometry, field: str = "") -> Search:
        """Only places and shapes that have a point in common with a geometry."""
        return self._at(Place(self._place_field(field), "intersects", shape))

    def within(self, shape: Geometry, field: str = "") -> Search:
        """Only places and shapes that lie within a geometry."""
        return self._at(Place(self._place_field(field), "within", shape))

    def sort(self, order: str) -> Search:
        """Sort by a field, with `-` from large to small, or by "distance"; otherwise by score.

        Documents without the field come last, and equal ones are in the order of their ids.
        """
        name = order.removeprefix("-")
        if name == "distance":
            if not any(each.relation == "distance" for each in self.places):
                _reject('sort("distance") needs a place', "write .near(position, radius_m) first")
        else:
            self._field(name, ("keyword", "number", "date"))
        return replace(self, order=order)

    def facets(self, *fields: str) -> Search:
        """Count the values of these fields in all documents that match."""
        for each in fields:
            self._field(each, ("keyword", "number", "date"))
        return replace(self, facet_fields=fields)

    def highlight(self) -> Search:
        """Return passages with the words that were found between <em> and </em>, with everything else escaped."""
        return replace(self, highlighted=True)

    def take(self, limit: int, cursor: str = "") -> Search:
        """How many hits to return, and after which cursor."""
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _MAX_LIMIT:
            _reject(
                f"take({quote(limit)}) must be a whole number from 1 to {_MAX_LIMIT:,}",
                "take(20) is the default",
            )
        return replace(self, limit=limit, cursor=cursor)

    # Checks

    def _filter(self, name: str, condition: Any) -> Filter:
        self._field(name, ("keyword", "number", "date"))
        declared = self.index.fields[name]
        if isinstance(condition, Operator):
            if condition.name == "begins":
                self._field(name, ("keyword",))
                return Filter(name, operator=condition)
            operands = tuple(declared.convert_all(f"where({name}=...)", each) for each in condition.operands)
            return Filter(name, operator=Operator(condition.name, operands))
        listed = condition if isinstance(condition, list | tuple | set | frozenset) else (condition,)
        return Filter(name, tuple(declared.convert_all(f"where({name}=...)", each) for each in listed))

    def _at(self, place: Place) -> Search:
        return replace(self, places=(*self.places, place))

    def _place_field(self, name: str) -> str:
        if name:
            self._field(name, ("geo_point", "geo_shape"))
            return name
        names = [each for each, declared in self.index.fields.items() if declared.kind.startswith("geo_")]
        if len(names) != 1:
            listed = ", ".join(names) or "none"
            _reject(f"the index has {len(names)} fields of places: {listed}", "name one of them: field=...")
        return names[0]

    def _field(self, name: str, kinds: tuple[str, ...]) -> None:
        check_field(self.index.fields, name, kinds)


def check_field(fields: Mapping[str, Any], name: str, kinds: tuple[str, ...]) -> None:
    """Reject a field that an index does not declare, or declares as another kind."""
    fitting = [each for each, declared in fields.items() if declared.kind in kinds]
    if name in fitting:
        return
    what = (
        f"is declared as {type(fields[name]).__name__}" if name in fields else "is not a field of the index"
    )
    near = did_you_mean(name, fitting)
    raise InvalidValue(
        "search-field",
        f"{quote(name)} {what}.",
        expected=f"Fields that can be used here are: {', '.join(fitting) or 'none'}.",
        fix=f"did you mean {near!r}?" if near else "name one of them, or declare it in the search document.",
    )


def new_search(index: SearchIndex, text: str, fields: tuple[str, ...], fuzziness: int) -> Search:
    """A search for a text; checked."""
    if not isinstance(text, str):
        _reject(f"search({quote(text)}) is not text", 'write for example places.search("joffre lak*")')
    for each in fields:
        check_field(index.fields, each, ("text",))
    if isinstance(fuzziness, bool) or fuzziness not in range(_MAX_FUZZY + 1):
        _reject(f"fuzziness={quote(fuzziness)} must be 0, 1 or 2", "1 finds words with one wrong letter")
    if text.count('"') % 2:
        _reject(
            f"search({quote(text)}) has a quotation mark without another one",
            "close the phrase, or leave it out",
        )
    phrases = tuple(_phrase(quoted, word) for quoted, word in _TOKENS.findall(text))
    phrases = tuple(each for each in phrases if re.search(r"\w", each.text))
    searched = fields or tuple(name for name, each in index.fields.items() if isinstance(each, Text))
    if phrases and not searched:
        _reject("the index has no text fields", "declare one: Text()")
    return Search(index, phrases, searched, fuzziness)


def _phrase(quoted: str, word: str) -> Phrase:
    if word:
        return Phrase(word.rstrip("*"), prefix=word.endswith("*"), is_word=True)
    return Phrase(quoted)


def _reject(problem: str, fix: str) -> NoReturn:
    raise InvalidValue("search-option", f"Search: {problem}.", fix=f"{fix}.")
