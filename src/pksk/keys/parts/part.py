"""What every part of a key can do: encode a value, decode its text, and say how its texts sort."""

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

__all__ = ["FieldType", "Part", "PartCode", "PartContext", "type_name"]


@dataclass(frozen=True, slots=True)
class FieldType:
    """The type of a field, how long its values may be, and whether it may be None."""

    type: Any
    min_length: int = 0
    max_length: int | None = None
    optional: bool = False


def type_name(annotation: Any) -> str:
    """The name of a type for messages."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation).removeprefix("typing.")


@dataclass(frozen=True)
class PartContext:
    """Where a part stands: in which template, beside which delimiter, and whether nothing follows it."""

    where: str
    delimiter: Delimiter
    last: bool

    @cached_property
    def escaper(self) -> Escaper:
        """What escapes the text of this part."""
        return Escaper(self.delimiter, last=self.last)


@dataclass(frozen=True)
class PartCode:
    """Source code for one part: a guard that is true of what it can do, and what stands in the f-string.

    `prepare` is a statement before that; `names` are what the code refers to.
    """

    guard: str
    piece: str
    names: Mapping[str, object] = field(default_factory=dict)
    prepare: str = ""


class Part(ABC):
    """One placeholder of a template, with the type of its field.

    `lossy`: the text does not give the value back. `ordered`: texts sort as values do (of a lossy part: equal
    texts, or the order of the values). `prefix_free`: no text is the beginning of another.
    `discrete`: every value has a next one and one before, up to the ends. `unordered_because` says why a part
    is not ordered.
    """

    # Of each class: the names of its types as text, the class of its values, and what messages call that.
    names: ClassVar[tuple[str, ...]] = ()
    value_class: ClassVar[type[Any]] = object
    takes: ClassVar[str] = ""

    lossy = False
    ordered = True
    prefix_free = False
    unordered_because = ""
    may_be_empty = False
    discrete = True

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
        """A regular expression that every text of this part matches, with no group in it."""

    @property
    @abstractmethod
    def sample_texts(self) -> tuple[str, ...]:
        """Texts that between them show all punctuation that this part can write."""

    @abstractmethod
    def encode(self, value: Any) -> str:
        """The text of a value; InvalidValue where it has none."""

    @abstractmethod
    def decode(self, text: str) -> Any:
        """The value of a text, or (lossy) one value that has this text; ValueError where there is none."""

    @abstractmethod
    def add_to_automaton(self, language: AutomatonBuilder) -> None:
        """Add all texts of this part, and possibly a few more, to the end of a language."""

    @classmethod
    def determines_value(cls, parts: Sequence[Any]) -> bool:  # noqa: ARG003 - for those that can
        """Whether several lossy parts of one field give its value back together."""
        return False

    @classmethod
    def join(cls, texts: Sequence[tuple[Any, str]]) -> Any:
        """A value that has these texts in these lossy parts of one field; ValueError if there is none."""
        part, text = texts[0]
        return part.decode(text)

    def encode_code(self, name: str) -> PartCode:
        """Source code that encodes the variable `name` in the common case; here, a call of `encode`."""
        return PartCode("True", f"{{encode_{name}({name})}}", {f"encode_{name}": self.encode})

    def decode_code(self, name: str) -> PartCode:
        """Source code that decodes the text in the variable `name`; here, a call of `decode`."""
        return PartCode("True", f"decode_{name}({name})", {f"decode_{name}": self.decode})

    def span(self, value: Any) -> tuple[Any, Any]:
        """The first and the last value that have the same text as this one."""
        return value, value

    def starts_span(self, value: Any) -> bool:
        """Whether the value is the first that has its text."""
        return not self.is_greater(value, self.span(value)[0])

    def ends_span(self, value: Any) -> bool:
        """Whether the value is the last that has its text."""
        return not self.is_greater(self.span(value)[1], value)

    def neighbour(self, value: Any, by: int) -> Any | None:
        """The next value (by=1) or the one before (by=-1); None where there is none or it is not discrete."""
        return None

    def is_greater(self, left: Any, right: Any) -> bool:
        """Whether the value on the left is the greater one; of values as the part renders them."""
        return bool(left > right)

    def incomparable(self, left: Any, right: Any) -> bool:
        """Whether two values of the field cannot be compared with each other."""
        return False

    def expand_operator(self, operator: Operator) -> Operator:
        """The operator as this part can answer it: `begins("2025-03")` on a date is a span of days."""
        return operator

    def encode_prefix(self, start: Any) -> str | None:
        """The text that values beginning with `start` begin with; None where there are none."""
        raise NotImplementedError

    def prefix_is_exact(self, start: str) -> bool:
        """Whether the keys that begin like `start` are those of values that do."""
        return True

    def truncates(self, start: str) -> bool:
        """Whether the part ends before all of `start` is written."""
        return False

    @property
    def bytes_range(self) -> tuple[int, int | None]:
        """The fewest and the most bytes that this part writes; None where nothing limits it."""
        return 1, None

    @property
    def sorts_in_key(self) -> bool:
        """Whether byte order equals value order, given what follows the part."""
        closed = self.last or self.prefix_free or self.context.delimiter.ends_below_all
        return self.ordered and closed

    def refuse(self, code: str, problem: str, *, expected: str = "", fix: str = "") -> NoReturn:
        """Refuse a value, naming template, part and field."""
        raise InvalidValue(code, f"{self.context.where}: {problem}", expected=expected, fix=fix)

    def refuse_type(self, value: Any, *, fix: str = "") -> NoReturn:
        """Refuse a value of the wrong type."""
        given = type(value).__name__
        self.refuse(
            "key-wrong-type",
            f"field {self.field!r} is {quote(value)} of type {given}; {self.placeholder} takes {self.type_name}.",
            fix=fix or f"give {self.field!r} a value of type {self.type_name}.",
        )

    def refuse_spec(self, *, expected: str, fix: str) -> NoReturn:
        """Refuse the declaration of this part."""
        raise TemplateError(
            "template-spec",
            f"{self.context.where}: {self.placeholder} is no way to write {self.type_name} in a key.",
            expected=expected,
            fix=fix,
        )
