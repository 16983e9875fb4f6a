"""Stored: the format in which a field is stored, such as epoch seconds or ISO text, also inside lists and maps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from re import fullmatch
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NoReturn, TypeAlias

from pksk.dataclass import dataclass, replace
from pksk.errors import DesignError, InvalidValue, did_you_mean, quote
from pksk.keys.precision import Precision
from pksk.model.markers.marker import Marker, NotInFormat, StoredForm, reject_marker
from pksk.values import from_wire, to_wire
from pksk.values.instants import in_utc

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.storing.attributes import Field

FormatName: TypeAlias = Literal[
    "epoch-seconds", "epoch-milliseconds", "iso-minutes", "iso-seconds", "iso-milliseconds", "iso-microseconds",
    "iso-offset",
]  # fmt: skip

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SAMPLE = datetime(2025, 12, 31, 18, 30, tzinfo=UTC)
_OFFSET_TEXT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)"
# The member of a core schema's metadata that holds the marker of a type.
_TAG: Final = "pksk_stored"


@dataclass(frozen=True)
class CustomFormat:
    """A format of your own: two functions, and the type of DynamoDB that they convert to.

    `store` converts a value to text, a number, bytes, a bool, a list, a dict or a set, and `read` converts it back.
    With `ordered=True` you state that stored values sort like the values themselves, so that ranges and sort keys may
    use them.

    Example:
        >>> from decimal import Decimal
        >>> cents = CustomFormat("N", store=lambda euros: int(euros * 100), read=lambda number: Decimal(number) / 100)
        >>> cents.store(Decimal("1.50"))
        150
    """

    type: Literal["S", "N", "B", "BOOL", "L", "M", "SS", "NS", "BS"]
    store: Callable[[Any], Any]
    read: Callable[[Any], Any]
    ordered: bool = False
    name: str = "its own format"


@dataclass(frozen=True, init=False)
class Stored(Marker):
    """How a time is stored, or a value of any type: `at: Annotated[datetime, Stored("epoch-seconds")]`.

    The formats are "epoch-seconds" and "epoch-milliseconds" (N), "iso-minutes", "iso-seconds", "iso-milliseconds" and
    "iso-microseconds" (text in UTC with Z), "iso-offset" (text with the offset of the value), or a `CustomFormat`.
    `reads` lists further formats that are accepted when an item is read. An unchanged field is written back as it was
    stored. The marker may be inside lists, sets and maps: `list[Annotated[datetime, Stored("iso-seconds")]]`.

    Example:
        >>> from typing import Annotated
        >>> Annotated[datetime, Stored("epoch-seconds", reads=["iso-seconds"])].__metadata__
        (Stored('epoch-seconds', reads=['iso-seconds']),)
    """

    acts_on_writes: ClassVar[bool] = False
    is_allowed_inside: ClassVar[bool] = True

    format: FormatName | CustomFormat
    reads: tuple[FormatName | CustomFormat, ...]

    def __init__(
        self, stored_as: FormatName | CustomFormat, /, *, reads: Iterable[FormatName | CustomFormat] = ()
    ) -> None:
        others = (reads,) if isinstance(reads, str | CustomFormat) else tuple(reads)
        for each in (stored_as, *others):
            _check_format(each)
        if (
            len({each for each in (stored_as, *others) if each in ("epoch-seconds", "epoch-milliseconds")})
            > 1
        ):
            _reject_format(
                f"Stored({stored_as!r}, reads={list(others)!r}): a number does not say whether it is seconds or "
                "milliseconds",
                "read one of them; convert items with the other first.",
            )
        object.__setattr__(self, "format", stored_as)
        object.__setattr__(self, "reads", others)

    @cached_property
    def form(self) -> StoredForm:
        """How values are stored and read."""
        return _with_reads(form_of(self.format), tuple(map(form_of, self.reads)))

    @cached_property
    def key_precision(self) -> Precision | None:
        """The unit that every stored time is the start of, which key templates go by."""
        unit = {step: name[:-1] for name, step in _UNITS.items()}.get(self.form.resolution or timedelta(0))
        if unit is None:
            return None
        from pksk.keys.precision import Precision

        return Precision(unit)  # type: ignore[arg-type]  # these are names of units

    @property
    def holds_instants(self) -> bool:
        """All formats but those of users store instants."""
        return not self.form.is_custom

    def __repr__(self) -> str:
        return f"Stored({self.format!r}{f', reads={list(self.reads)!r}' if self.reads else ''})"

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any] | None = None) -> Any:
        """The schema of the type, which says how its values are stored wherever the type is used."""
        if (
            handler is None
        ):  # Annotated[datetime, Stored]: the function of the class is called; a later check rejects it
            return source(self)
        schema = handler(source)
        return {**schema, "metadata": {**schema.get("metadata", {}), _TAG: self}}

    def stored_form(self, field: Field) -> StoredForm | None:
        """The format."""
        return self.form

    def check_field(self, where: str, field: Field) -> None:
        """Reject a field whose other marker needs a format of its own."""
        for marker in field.markers:
            if marker is not self and not marker.takes_format(self.form):
                reject_marker(
                    where, "marker-clash", f"{self!r} is on a field with {type(marker).__name__}.",
                    f"leave Stored out: {type(marker).__name__} decides how the field is stored."
                )  # fmt: skip

    def check_entity(self, name: str, declaration: Declaration) -> None:
        """Reject further formats for a key attribute, whose items could not be found by their keys."""
        attribute = declaration.fields[name].attribute
        if self.reads and attribute in declaration.table.attribute_types:
            reject_marker(
                f"{declaration.name}.{name}", "stored-format",
                f"{self!r} reads further formats, and attribute {attribute!r} is a key of the table or of an index.",
                "leave reads= out: a key has one format.",
            )  # fmt: skip


def stored_marker(node: Mapping[str, Any]) -> Stored | None:
    """The marker on a type, in Pydantic's core schema."""
    metadata = node.get("metadata")
    return metadata.get(_TAG) if metadata else None


def _check_format(chosen: object) -> None:
    if isinstance(chosen, CustomFormat):
        if chosen.type not in ("S", "N", "B", "BOOL", "L", "M", "SS", "NS", "BS"):
            _reject_format(
                f"CustomFormat({quote(chosen.type)}): this is not a type of DynamoDB",
                "write 'S', 'N' or 'B'.",
            )
        if not callable(chosen.store) or not callable(chosen.read):
            _reject_format("CustomFormat: store and read must be functions", "give two functions.")
    elif not isinstance(chosen, str) or chosen not in _FORMS:
        near = did_you_mean(chosen, _FORMS) if isinstance(chosen, str) else None
        _reject_format(
            f"Stored({quote(chosen)}): there is no such format",
            f"did you mean {near!r}?" if near else "use one of them.",
            expected=f"Formats are: {', '.join(_FORMS)}, and CustomFormat(...).",
        )


def _reject_format(problem: str, fix: str, *, expected: str = "") -> NoReturn:
    raise DesignError("stored-format", f"{problem}.", expected=expected, fix=fix)


def form_of(name: FormatName | CustomFormat) -> StoredForm:
    """How values of a format are stored and read."""
    return _FORMS[name] if isinstance(name, str) else _custom_form(name)


# Reading and writing of each format. None stays None: an optional field may hold it.


def _instant(value: Any, path: str) -> datetime:
    if not isinstance(value, datetime):
        raise TypeError(value)
    if value.utcoffset() is None:
        raise InvalidValue(
            "stored-value",
            f"{path}: {quote(value)} has no zone, and the field stores instants.",
            fix="give the datetime a zone, for example tzinfo=UTC.",
        )
    return in_utc(value)


# How a time is cut to a unit, as arguments of `replace`.
_CUTS: Final = {
    "minutes": "second=0, microsecond=0",
    "milliseconds": "microsecond=value.microsecond // 1000 * 1000",
}


def _check_fine(value: Any, path: str, is_finer: bool, unit: str) -> None:
    if is_finer:
        cut = _CUTS.get(unit, "microsecond=0")
        raise InvalidValue(
            "stored-value",
            f"{path}: {quote(value.isoformat())} is finer than its stored format, whole {unit}.",
            expected="A value is never rounded when it is stored.",
            fix=f"pass whole {unit}, such as value.replace({cut}), or declare a finer format.",
        )


def _to_epoch(value: Any, path: str, *, unit: str) -> Any:
    if value is None:
        return None
    number, rest = divmod(_instant(value, path) - _EPOCH, _UNITS[unit])
    _check_fine(value, path, bool(rest), unit)
    return number


def _from_epoch(stored: Any, *, unit: str) -> Any:
    if stored is None:
        return None
    if type(stored) is not int:
        raise NotInFormat
    try:
        return _EPOCH + stored * _UNITS[unit]
    except OverflowError:
        raise NotInFormat from None


def _to_iso(value: Any, path: str, *, unit: str) -> Any:
    if value is None:
        return None
    instant = _instant(value, path)
    _check_fine(value, path, instant != coarser(instant, unit), unit)
    return f"{instant.isoformat('T', unit)[:-6]}Z"


def _from_iso(stored: Any, *, unit: str) -> Any:
    if stored is None:
        return None
    try:
        value = datetime.fromisoformat(stored)
    except (TypeError, ValueError):
        raise NotInFormat from None
    if value.tzinfo is not UTC or f"{value.isoformat('T', unit)[:-6]}Z" != stored:
        raise NotInFormat
    return value


def _to_offset(value: Any, path: str) -> Any:
    if value is None:
        return None
    instant = _instant(value, path)
    offset = value.utcoffset()
    # No text holds an offset with seconds, which old local times have.
    return (instant if offset.seconds % 60 or offset.microseconds else value).isoformat()


def _from_offset(stored: Any) -> Any:
    if stored is None:
        return None
    try:
        if fullmatch(_OFFSET_TEXT, stored):
            return datetime.fromisoformat(stored)
    except (TypeError, ValueError):
        pass
    raise NotInFormat


_UNITS = {
    "minutes": timedelta(minutes=1),
    "seconds": timedelta(seconds=1),
    "milliseconds": timedelta(milliseconds=1),
}


def coarser(value: datetime, unit: str) -> datetime:
    """A time in UTC without what is finer than a unit.

    Example:
        >>> coarser(datetime(2025, 1, 1, 12, 30, 15, 1500, UTC), "milliseconds").microsecond
        1000
    """
    return value - (value - _EPOCH) % _UNITS[unit] if unit in _UNITS else value


def coarse_bound(form: StoredForm, value: datetime, *, up: bool) -> datetime:
    """The stored time at or before a bound of a range, or `up`: at or after it. A bound is never stored.

    Example:
        >>> bound = datetime(2025, 1, 1, 12, 30, 15, 500, UTC)
        >>> coarse_bound(form_of("epoch-seconds"), bound, up=True).second
        16
    """
    if form.resolution is None or value.utcoffset() is None:
        return value
    rest = (in_utc(value) - _EPOCH) % form.resolution
    return value if not rest else in_utc(value) - rest + (form.resolution if up else timedelta(0))


def is_comparable(one: StoredForm | None, other: StoredForm | None) -> bool:
    """Whether stored values of two fields compare like the values; None is the form of a type without a format.

    Example:
        >>> is_comparable(form_of("epoch-seconds"), form_of("epoch-milliseconds"))
        False
    """
    if one is None or other is None:
        return not any(each is not None and each.is_custom for each in (one, other))
    if one.is_custom and other.is_custom:
        return bool(one.store.keywords == other.store.keywords)  # type: ignore[attr-defined]
    kinds = [(each.type, each.resolution, each.ordered, each.is_custom) for each in (one, other)]
    return kinds[0] == kinds[1]


def same_instant(value: Any, back: Any) -> bool:
    """Whether a time was read back as the same instant, or None as None."""
    if not isinstance(value, datetime) or not isinstance(back, datetime):
        return value is None and back is None
    return value.utcoffset() is not None and in_utc(value) == in_utc(back)


def _same_offset(value: Any, back: Any) -> bool:
    if not same_instant(value, back):
        return False
    return value is None or value.utcoffset() == back.utcoffset() or bool(value.utcoffset().seconds % 60)


def _epoch_form(unit: str) -> StoredForm:
    number = _to_epoch(_SAMPLE, "", unit=unit)
    return StoredForm(
        "N", partial(_to_epoch, unit=unit), partial(_from_epoch, unit=unit), same_instant,
        name=f"epoch {unit}, such as {number} (N)", resolution=_UNITS[unit], is_exact=True,
    )  # fmt: skip


def _iso_form(unit: str) -> StoredForm:
    text = _to_iso(_SAMPLE, "", unit=unit)
    return StoredForm(
        "S", partial(_to_iso, unit=unit), partial(_from_iso, unit=unit), same_instant,
        name=f"ISO text in UTC with {unit}, such as {text!r} (S)",
        resolution=_UNITS.get(unit, timedelta(microseconds=1)), is_exact=True,
    )  # fmt: skip


_FORMS: Final[dict[str, StoredForm]] = {
    "epoch-seconds": _epoch_form("seconds"),
    "epoch-milliseconds": _epoch_form("milliseconds"),
    "iso-minutes": _iso_form("minutes"),
    "iso-seconds": _iso_form("seconds"),
    "iso-milliseconds": _iso_form("milliseconds"),
    "iso-microseconds": _iso_form("microseconds"),
    "iso-offset": StoredForm(
        "S", _to_offset, _from_offset, _same_offset, ordered=False, is_one_text=False,
        name="ISO text with an offset, such as '2025-12-31T18:30:00+01:00' (S)",
    ),
}  # fmt: skip
INSTANTS: Final = _FORMS["iso-microseconds"]


def _custom_form(own: CustomFormat) -> StoredForm:
    return StoredForm(
        own.type, partial(_to_custom, own=own), partial(_from_custom, own=own), _same_custom,
        name=f"{own.name} ({own.type})", ordered=own.ordered, is_one_text=False, is_custom=True,
    )  # fmt: skip


def _to_custom(value: Any, path: str, *, own: CustomFormat) -> Any:
    if value is None:
        return None
    try:
        stored = own.store(value)
        wire = to_wire(stored)
        back = own.read(from_wire(wire))
    except Exception as error:  # whatever the user's function raises
        raise InvalidValue(
            "stored-value",
            f"{path}: {quote(value)} cannot be stored in {own.name}: {type(error).__name__}: {error}.",
            fix="pass a value that the function of the format can store.",
        ) from error
    if own.type not in wire:
        raise InvalidValue(
            "stored-value",
            f"{path}: {own.name} stores {quote(value)} as {next(iter(wire))}, and is declared as {own.type}.",
            fix="let the function return what the format declares, or declare the type that it returns.",
        )
    if not _same_custom(value, back):
        raise InvalidValue(
            "stored-value",
            f"{path}: {quote(value)} would be read back as {quote(back)} from {own.name}.",
            expected="A value is never rounded when it is stored.",
            fix="pass a value that the format can hold.",
        )
    return stored


def _from_custom(stored: Any, *, own: CustomFormat) -> Any:
    if stored is None:
        return None
    if own.type not in to_wire(stored):
        raise NotInFormat
    try:
        return own.read(stored)
    except Exception:  # whatever the user's function raises
        raise NotInFormat from None


def _same_custom(value: Any, back: Any) -> bool:
    if isinstance(value, datetime) and isinstance(back, datetime) and value.utcoffset() is not None:
        return back.utcoffset() is not None and same_instant(value, back)
    return bool(value == back)


def _with_reads(form: StoredForm, others: tuple[StoredForm, ...]) -> StoredForm:
    """The format, which also reads others."""
    if not others:
        return form

    def read(stored: Any) -> Any:
        for each in (form, *others):
            try:
                return each.read(stored)
            except NotInFormat:
                continue
        raise NotInFormat

    def is_same(value: Any, back: Any) -> bool:
        return form.is_same(value, back)

    return replace(
        form,
        read=read,
        is_same=is_same,
        is_one_text=False,
        name=" or ".join(each.name for each in (form, *others)),
        other_types=frozenset(each.type for each in others if each.type in ("S", "N", "B")),
    )
