"""The base of all parts of a key: encodes values, decodes texts, and knows how its texts sort."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, TemplateError, quote
from pksk.keys.delimiter import Delimiter, Escaper
from pksk.keys.operators import Operator
from pksk.keys.parse import Placeholder

if TYPE_CHECKING:
    from pksk.keys.automaton import AutomatonBuilder
    from pksk.keys.precision import Precision


@dataclass(frozen=True, slots=True)
class FieldType:
    """The type of a field, the length and precision of its values, and whether it is optional.

    `aware` says whether its times have a zone; None if both are possible. `cell_levels` are those of cells of a map.
    """

    type: Any
    min_length: int = 0
    max_length: int | None = None
    optional: bool = False
    precision: Precision | None = None
    aware: bool | None = None
    cell_levels: range = range(0)


class UncheckedText(str):
    """Text that need not have the length, or be one of the choices, of its field: to look for such keys."""

    __slots__ = ()


def type_name(annotation: Any) -> str:
    """The name of a type for messages."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation).removeprefix("typing.")


def value_type(value: object) -> str:
    """The name of the type of a value for messages."""
    return "str" if isinstance(value, UncheckedText) else type(value).__name__


@dataclass(frozen=True)
class PartContext:
    """The surroundings of a part: its template, the delimiter, and whether it is at the end."""

    where: str
    delimiter: Delimiter
    last: bool

    @cached_property
    def escaper(self) -> Escaper:
        """The escaper for texts of this part."""
        return Escaper(self.delimiter, last=self.last)


@dataclass(frozen=True)
class PartCode:
    """Source code for one part: the condition under which it applies, and the expression for the f-string.

    `prepare` is a statement that runs before; `names` are the names that the code uses.
    """

    guard: str
    piece: str
    names: Mapping[str, object] = field(default_factory=dict)
    prepare: str = ""


class Part(ABC):
    """One placeholder of a template, with the type of its field.

    `lossy`: the text does not determine the value. `ordered`: texts sort like values (or are equal, if the part is
    lossy). `prefix_free`: no text is a prefix of another. `discrete`: every value has a next and a previous one, up
    to the ends. `unordered_because` explains why a part is not ordered.
    """

    # For each class: the names of its type as text, the class of its values, and its name in messages.
    names: ClassVar[tuple[str, ...]] = ()
    value_class: ClassVar[type[Any]] = object
    takes: ClassVar[str] = ""

    lossy = False
    ordered = True
    prefix_free = False
    unordered_because = ""
    may_be_empty = False
    discrete = True
    # The levels of a field that is a cell of a map.
    cell_levels = range(0)

    def __init__(self, placeholder: Placeholder, context: PartContext) -> None:
        self.placeholder = placeholder
        self.field = placeholder.field
        self.context = context
        self.last = context.last

    @classmethod
    def build(cls, placeholder: Placeholder, declared: FieldType, context: PartContext) -> Part | None:
        """The part for a field of this type; None if the type belongs to another class of parts."""
        fits = isinstance(declared.type, type) and issubclass(declared.type, cls.value_class)
        return cls(placeholder, context) if fits else None

    @property
    def type_name(self) -> str:
        """The type of the field, for messages."""
        return self.takes

    @property
    @abstractmethod
    def pattern(self) -> str:
        """A regular expression, without groups, that matches every text of this part."""

    @property
    @abstractmethod
    def sample_texts(self) -> tuple[str, ...]:
        """Sample texts that contain all punctuation this part can write."""

    @abstractmethod
    def encode(self, value: Any) -> str:
        """The text of a value; raises InvalidValue if it has none."""

    @abstractmethod
    def decode(self, text: str) -> Any:
        """The value of a text (if lossy, one of the values); raises ValueError if there is none."""

    @abstractmethod
    def add_to_automaton(self, language: AutomatonBuilder) -> None:
        """Append all texts of this part, and possibly a few more, to a language."""

    @classmethod
    def determines_value(cls, parts: Sequence[Any]) -> bool:  # noqa: ARG003 - for those that can
        """Whether several lossy parts of one field together determine its value."""
        return False

    @classmethod
    def join(cls, texts: Sequence[tuple[Any, str]]) -> Any:
        """A value with these texts in these lossy parts of one field; raises ValueError if there is none."""
        part, text = texts[0]
        return part.decode(text)

    def encode_code(self, name: str) -> PartCode:
        """Source code that encodes the variable `name`; by default a call of `encode`."""
        return PartCode("True", f"{{encode_{name}({name})}}", {f"encode_{name}": self.encode})

    def span(self, value: Any) -> tuple[Any, Any]:
        """The first and last value with the same text as this one."""
        return value, value

    def starts_span(self, value: Any) -> bool:
        """Whether the value is the first with its text."""
        return not self.is_greater(value, self.span(value)[0])

    def ends_span(self, value: Any) -> bool:
        """Whether the value is the last with its text."""
        return not self.is_greater(self.span(value)[1], value)

    def neighbour(self, value: Any, by: int) -> Any | None:
        """The next (by=1) or previous value (by=-1); None if there is none or the part is not discrete."""
        return None

    def is_greater(self, left: Any, right: Any) -> bool:
        """Whether the left value is greater, in the order in which the part renders them."""
        return bool(left > right)

    def incomparable(self, left: Any, right: Any) -> bool:
        """Whether the two values cannot be compared."""
        return False

    def expand_operator(self, operator: Operator) -> Operator:
        """The operator in terms of values of this part: `begins("2025-03")` on a date becomes a range of days."""
        return operator

    def encode_prefix(self, start: Any) -> str | None:
        """The common prefix of the texts of values that begin with `start`; None if there are no such values."""
        raise NotImplementedError

    def is_beginning(self, value: Any) -> bool:
        """Whether a bound is too short to be a value, and so lies between the values."""
        return False

    def prefix_is_exact(self, start: str) -> bool:
        """Whether exactly the values that begin with `start` have keys with its prefix."""
        return True

    def truncates(self, start: str) -> bool:
        """Whether the part is shorter than `start`."""
        return False

    @property
    def bytes_range(self) -> tuple[int, int | None]:
        """The minimum and maximum size in bytes; None if unlimited."""
        return 1, None

    @property
    def sorts_in_key(self) -> bool:
        """Whether byte order equals value order, including what follows the part."""
        closed = self.last or self.prefix_free or self.context.delimiter.ends_below_all
        return self.ordered and closed

    def reject(self, code: str, problem: str, *, expected: str = "", fix: str = "") -> NoReturn:
        """Raise an error for a value, naming template, part and field."""
        raise InvalidValue(code, f"{self.context.where}: {problem}", expected=expected, fix=fix)

    def reject_type(self, value: Any, *, fix: str = "") -> NoReturn:
        """Raise an error for a value of the wrong type."""
        type_ = value_type(value)
        self.reject(
            "key-wrong-type",
            f"field {self.field!r} is {quote(value)} of type {type_}; {self.placeholder} takes {self.type_name}.",
            fix=fix or f"pass a value of type {self.type_name} for {self.field!r}.",
        )

    def reject_spec(self, *, expected: str, fix: str) -> NoReturn:
        """Raise an error for the declaration of this part."""
        raise TemplateError(
            "template-spec",
            f"{self.context.where}: {self.placeholder} is not a format for {self.type_name} in a key.",
            expected=expected,
            fix=fix,
        )
