"""The kinds of fields that a search document has: what each accepts, indexes and maps to in OpenSearch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from math import isfinite
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Final, NoReturn, TypeAlias, Union, get_args, get_origin
from uuid import UUID

import orjson

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, quote

# A field of the entity, a function of the entity, or the name of the document's field itself.
Source: TypeAlias = str | Callable[..., Any] | None
# Lucene rejects longer terms.
# https://docs.opensearch.org/latest/field-types/supported-field-types/keyword/
MAX_KEYWORD_BYTES: Final = 32_766
_MAX_LONG: Final = 2**63
# Pydantic's types that are not subclasses of what they validate.
_PYDANTIC_TIMES: Final = ("AwareDatetime", "NaiveDatetime", "PastDatetime", "FutureDatetime")


@dataclass(frozen=True)
class SearchField:
    """One field of a search document; `of` is the field of the entity or the function that it comes from."""

    of: Source = None

    kind: ClassVar[str] = ""
    # The types of an entity's fields that it accepts; lists and sets of them are several values.
    types: ClassVar[tuple[type, ...]] = ()

    def mapping(self, types: frozenset[type]) -> dict[str, Any]:
        """The mapping of OpenSearch, given the types of the entity's field; none are known of a function."""
        raise NotImplementedError

    def convert(self, value: Any) -> Any:
        """One value as JSON has it in a document; raises if it cannot be indexed."""
        raise NotImplementedError

    def convert_all(self, where: str, value: Any) -> Any:
        """A value, or a list of them, as a document has it; None if there is nothing to index."""
        if isinstance(value, list | tuple | set | frozenset) and not self.is_single(value):
            each = [self._convert(where, one) for one in value if one is not None]
            # Sets have no order, and equal items must have equal documents.
            return (sorted(each, key=str) if isinstance(value, set | frozenset) else each) or None
        return None if value is None else self._convert(where, value)

    def is_single(self, value: Any) -> bool:
        """Whether a list or a tuple is one value."""
        return False

    def _convert(self, where: str, value: Any) -> Any:
        try:
            return self.convert(value)
        except InvalidValue as error:
            if error.code == "search-value":
                error.problem = f"{where}: {error.problem}"
            raise


@dataclass(frozen=True)
class Text(SearchField):
    """Text whose words are searched; a match counts `boost` times.

    `language` names an analyzer of OpenSearch that also finds other forms of a word; without it, words match as they
    are, but for case and accents. With `suggest`, the field completes what a user types.

    Example:
        >>> Text(boost=3, suggest=True).mapping(frozenset({str}))
        {'type': 'text', 'analyzer': 'pksk_plain'}
    """

    boost: float = 1.0
    language: str | None = None
    suggest: bool = False

    kind: ClassVar[str] = "text"
    types: ClassVar[tuple[type, ...]] = (str,)

    def mapping(self, types: frozenset[type]) -> dict[str, Any]:
        return {"type": "text", "analyzer": self.language or "pksk_plain"}

    def convert(self, value: Any) -> str:
        plain = value.value if isinstance(value, Enum) else value
        if not isinstance(plain, str):
            _reject(plain, "text", "a str", "use Keyword or Number for it, or a function that returns text")
        return plain


@dataclass(frozen=True)
class Keyword(SearchField):
    """A value that is filtered, counted and sorted by as a whole: a status, a tag, an id, True or False.

    Example:
        >>> Keyword().convert(True), Keyword().convert(12)
        ('true', '12')
    """

    kind: ClassVar[str] = "keyword"
    types: ClassVar[tuple[type, ...]] = (str, bool, int, Decimal, UUID)

    def mapping(self, types: frozenset[type]) -> dict[str, Any]:
        return {"type": "keyword"}

    def convert(self, value: Any) -> str:
        plain = value.value if isinstance(value, Enum) else value
        if isinstance(plain, bool):
            return "true" if plain else "false"
        text = f"{plain.normalize():f}" if isinstance(plain, Decimal) else str(plain)
        if not isinstance(plain, str | int | Decimal) and type(plain).__name__ not in ("UUID", "ULID"):
            _reject(plain, "a keyword", "a str, int, bool, Decimal, UUID or ULID", "convert it in a function")
        if len(text.encode("utf-8", "surrogatepass")) > MAX_KEYWORD_BYTES:
            _reject(plain, "a keyword", f"at most {MAX_KEYWORD_BYTES:,} bytes", "use Text, or a part of it")
        return text


@dataclass(frozen=True)
class Date(SearchField):
    """A date, or a time with a zone; compared in milliseconds, as OpenSearch does.

    Example:
        >>> Date().convert(date(2026, 7, 1))
        '2026-07-01T00:00:00.000Z'
    """

    kind: ClassVar[str] = "date"
    types: ClassVar[tuple[type, ...]] = (date, datetime)

    def mapping(self, types: frozenset[type]) -> dict[str, Any]:
        return {"type": "date", "format": "strict_date_optional_time"}

    def convert(self, value: Any) -> str:
        if isinstance(value, datetime):
            if value.utcoffset() is None:
                _reject(value, "a time", "a datetime with a zone", "give it one, for example tzinfo=UTC")
            moment = value.astimezone(UTC)
            return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z".rjust(24, "0")
        if isinstance(value, date):
            return f"{value.isoformat()}T00:00:00.000Z"
        _reject(value, "a date", "a date or a datetime", "convert it in a function")


@dataclass(frozen=True)
class Number(SearchField):
    """A number: exact to 64 bits if the entity's field is an int, else the nearest double.

    A larger int is rejected; index it as a Keyword. A Decimal is compared with the precision of a double, and its
    exact value is in the entity.

    Example:
        >>> Number().mapping(frozenset({int})), Number().mapping(frozenset({Decimal}))
        ({'type': 'long'}, {'type': 'double'})
    """

    kind: ClassVar[str] = "number"
    types: ClassVar[tuple[type, ...]] = (int, Decimal, float)

    def mapping(self, types: frozenset[type]) -> dict[str, Any]:
        return {"type": "long" if types == {int} else "double"}

    def convert(self, value: Any) -> int | float:
        if isinstance(value, bool) or not isinstance(value, int | Decimal | float):
            _reject(value, "a number", "an int or a Decimal", "use Keyword for it")
        if isinstance(value, int):
            if not -_MAX_LONG <= value < _MAX_LONG:
                _reject(value, "a number", "an int of 64 bits", "index it as a Keyword")
            return value
        number = float(value)
        if not isfinite(number):
            _reject(value, "a number", "a finite number", "leave it out, or index it as a Keyword")
        return number


@dataclass(frozen=True)
class GeoPoint(SearchField):
    """A place: a Position, a pair (longitude, latitude), or a Point of GeoJSON as a dict or text.

    Example:
        >>> GeoPoint().convert((-123.12, 49.28))
        {'type': 'Point', 'coordinates': [-123.12, 49.28]}
    """

    kind: ClassVar[str] = "geo_point"

    def mapping(self, types: frozenset[type]) -> dict[str, Any]:
        return {"type": "geo_point"}

    def is_single(self, value: Any) -> bool:
        return len(value) == 2 and all(isinstance(each, int | float | Decimal) for each in value)

    def convert(self, value: Any) -> dict[str, Any]:
        value = _parsed(value)
        pair = (
            value.get("coordinates") if isinstance(value, Mapping) and value.get("type") == "Point" else value
        )
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not self.is_single(pair):
            _reject(
                value, "a place", "(longitude, latitude), or a Point of GeoJSON", "convert it in a function"
            )
        longitude, latitude = map(float, pair)
        if not (-180 <= longitude <= 180 and -90 <= latitude <= 90):
            _reject(
                value, "a place", "a longitude from -180 to 180, then a latitude from -90 to 90", "correct it"
            )
        return {"type": "Point", "coordinates": [longitude, latitude]}


@dataclass(frozen=True)
class GeoShape(SearchField):
    """A shape: GeoJSON as a dict or text, or a `Geometry` of `pksk.geo`. A sink repairs it where that is needed.

    Example:
        >>> GeoShape().convert('{"type": "Point", "coordinates": [1, 2]}')
        {'type': 'Point', 'coordinates': [1, 2]}
    """

    kind: ClassVar[str] = "geo_shape"

    def mapping(self, types: frozenset[type]) -> dict[str, Any]:
        return {"type": "geo_shape"}

    def convert(self, value: Any) -> dict[str, Any]:
        if hasattr(value, "to_dict"):
            value = value.to_dict()
        value = _parsed(value)
        if not isinstance(value, Mapping) or not isinstance(value.get("type"), str):
            _reject(value, "a shape", "GeoJSON", "convert it in a function")
        shape: dict[str, Any] = orjson.loads(orjson.dumps(value, default=_float))
        return shape


def value_types(annotation: Any) -> frozenset[type]:
    """The types of a field's values: without None, of all members of a union, and of the elements of a list or set.

    Example:
        >>> value_types(list[int] | None)
        frozenset({<class 'int'>})
    """
    if hasattr(annotation, "__supertype__"):
        return value_types(annotation.__supertype__)
    if type(annotation).__name__ == "TypeAliasType":
        return value_types(annotation.__value__)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return value_types(arguments[0])
    if origin in (Union, UnionType, list, set, frozenset):
        return frozenset(each for one in arguments for each in value_types(one))
    if annotation is NoneType or not isinstance(annotation, type):
        return frozenset()
    if annotation.__name__ in _PYDANTIC_TIMES:
        return frozenset({datetime})
    if issubclass(annotation, Enum):
        return frozenset(type(member.value) for member in annotation)
    return frozenset({annotation})


def _parsed(value: Any) -> Any:
    try:
        return orjson.loads(value) if isinstance(value, str | bytes) else value
    except ValueError:
        return value


def _float(value: Any) -> float:
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError


def _reject(value: object, what: str, expected: str, fix: str) -> NoReturn:
    raise InvalidValue(
        "search-value",
        f"{quote(value)} of type {type(value).__name__} cannot be indexed as {what}.",
        expected=f"Expected {expected}.",
        fix=f"{fix}.",
    )
