"""A field with few possible values (Enum, Literal, bool): a table from value to text and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from pksk.errors import TemplateError, quote
from pksk.keys.parse import Placeholder
from pksk.keys.parts.part import FieldType, Part, PartCode, PartContext, UncheckedText

if TYPE_CHECKING:
    from pksk.keys.automaton import AutomatonBuilder


class ChoicePart(Part):
    """One of a fixed set of values, each with its text; an Enum member may be passed as its value."""

    names = ("bool",)
    value_class = bool
    takes = "Enum, Literal, bool with texts"

    def __init__(
        self, placeholder: Placeholder, context: PartContext, texts: Mapping[Any, str], type_name: str
    ) -> None:
        super().__init__(placeholder, context)
        self._type_name = type_name
        self.texts = {value: context.escaper.escape(text) for value, text in texts.items()}
        self.values = {text: value for value, text in self.texts.items()}
        self._check(texts)
        # If a text is a prefix of others, the next one in order is among them.
        self.prefix_free = not any(b.startswith(a) for a, b in pairwise(sorted(self.values)))
        self.ranking = _ranking(self.texts)
        self.ordered = self.ranking is not None and [self.texts[v] for v in self.ranking] == sorted(
            self.values
        )
        if not self.ordered:
            self.unordered_because = f"the texts of {type_name} do not sort as its values do"

    @classmethod
    def build(cls, placeholder: Placeholder, declared: FieldType, context: PartContext) -> Part | None:
        values = _values_of(declared.type)
        if values is None:
            return None
        name = _type_name(declared.type)
        if declared.type is bool:
            return cls(placeholder, context, _bool_texts(placeholder, context), name)
        return cls(placeholder, context, _choice_texts(placeholder, context, values, name), name)

    def _check(self, texts: Mapping[Any, str]) -> None:
        if len(self.values) != len(self.texts):
            repeated = next(text for text in texts.values() if list(texts.values()).count(text) > 1)
            self._reject_choice(
                f"two of its values are written {quote(repeated)}", "give every value its own text."
            )
        if "" in self.values:
            self._reject_choice(
                "the text of one of its values is empty", "give every value a text that is not empty."
            )
        for text in texts.values():
            if not self.context.escaper.allows(text):
                self._reject_choice(
                    f"its value {quote(text)} contains the delimiter or ends with its first characters",
                    'leave out codec="raw", or use another delimiter.',
                )

    def _reject_choice(self, problem: str, fix: str) -> None:
        raise TemplateError(
            "template-choice",
            f"{self.context.where}: {self.placeholder} takes {self.type_name}, and {problem}.",
            fix=fix,
        )

    @property
    def type_name(self) -> str:
        return self._type_name

    @property
    def sample_texts(self) -> tuple[str, ...]:
        return tuple(self.values)

    @cached_property
    def pattern(self) -> str:
        return f"(?:{'|'.join(map(re.escape, self.values))})"

    @cached_property
    def lookup(self) -> dict[Any, str]:
        """The text of each accepted value: members, and the values of members."""
        by_value = {value.value: text for value, text in self.texts.items() if isinstance(value, Enum)}
        return {**by_value, **self.texts}

    @cached_property
    def classes(self) -> frozenset[type]:
        """The types of accepted values: True is not 1 here."""
        return frozenset(type(text) for value in self.texts for text in (value, _raw_value(value)))

    def encode(self, value: Any) -> str:
        if isinstance(value, UncheckedText):
            value, escaper = str.__str__(value), self.context.escaper
            if value and escaper.allows(value):
                return escaper.escape(value)
        if type(value) not in self.classes:
            self.reject_type(value)
        text = self.lookup.get(value)
        if text is None:
            self.reject(
                "key-not-a-choice",
                f"field {self.field!r} is {quote(value)}, which is not one of the values of {self.type_name}.",
                expected=f"The values are: {', '.join(quote(_raw_value(value)) for value in self.texts)}.",
                fix="pass one of them.",
            )
        return text

    def decode(self, text: str) -> Any:
        if text not in self.values:
            raise ValueError(text)
        return self.values[text]

    def add_to_automaton(self, language: AutomatonBuilder) -> None:
        language.choice(self.values)

    def neighbour(self, value: Any, by: int) -> Any | None:
        ranking = self.ranking or []
        index = [self.texts[each] for each in ranking].index(self.encode(value)) + by
        return ranking[index] if 0 <= index < len(ranking) else None

    def is_greater(self, left: Any, right: Any) -> bool:
        return self.encode(left) > self.encode(right)

    def encode_code(self, name: str) -> PartCode:
        guard = f"{name}.__class__ in classes_{name} and {name} in lookup_{name}"
        names = {f"classes_{name}": self.classes, f"lookup_{name}": self.lookup}
        return PartCode(guard, f"{{lookup_{name}[{name}]}}", names)

    @property
    def bytes_range(self) -> tuple[int, int | None]:
        sizes = [len(text.encode()) for text in self.values]
        return min(sizes), max(sizes)


def _values_of(declared: Any) -> list[Any] | None:
    """The values of an Enum, Literal or bool; None for any other type."""
    if declared is bool:
        return [True, False]
    if get_origin(declared) is Literal:
        return list(get_args(declared))
    return list(declared) if isinstance(declared, type) and issubclass(declared, Enum) else None


def _type_name(declared: Any) -> str:
    if isinstance(declared, type):
        return declared.__name__
    values = get_args(declared)
    return f"Literal[{', '.join(quote(value, limit=20) for value in values[:9])}{', …' if len(values) > 9 else ''}]"


def _raw_value(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _ranking(texts: Mapping[Any, str]) -> list[Any] | None:
    try:
        return sorted(texts, key=_raw_value)
    except TypeError:
        return None


def _choice_texts(
    placeholder: Placeholder, context: PartContext, values: list[Any], type_name: str
) -> dict[Any, str]:
    """The text of each value of an Enum or Literal: strings unchanged, integers as digits."""
    if placeholder.spec or placeholder.cut or not values:
        raise TemplateError(
            "template-spec",
            f"{context.where}: {placeholder} is of type {type_name}, which takes no format.",
            fix=f"write {{{placeholder.field}}}, of a type with at least one value.",
        )
    for value in values:
        if isinstance(_raw_value(value), bool) or not isinstance(_raw_value(value), (str, int)):
            raise TemplateError(
                "template-choice",
                f"{context.where}: {placeholder} takes {type_name}, with a value {quote(_raw_value(value))} of type "
                f"{type(_raw_value(value)).__name__}.",
                fix="use values of type str or int.",
            )
    try:
        texts = {value: str(_raw_value(value)) for value in values}
        "".join(texts.values()).encode()
    except ValueError:
        raise TemplateError(
            "template-choice",
            f"{context.where}: {placeholder} takes {type_name}, and one of its values cannot be written as text.",
            fix="avoid lone surrogates and numbers with thousands of digits.",
        ) from None
    return texts


def _bool_texts(placeholder: Placeholder, context: PartContext) -> dict[bool, str]:
    """The two texts in `{paid:true/false}`; the first is for True."""
    texts = placeholder.spec.split("/")
    if len(texts) == 2 and all(texts) and not placeholder.cut:
        return {True: texts[0], False: texts[1]}
    raise TemplateError(
        "template-bool",
        f"{context.where}: {placeholder} is a bool, but the template does not define the texts for True and False.",
        expected="The text for True comes first, then / and the text for False.",
        fix=f"write {{{placeholder.field}:true/false}}; or leave the key out if the field is false.",
    )
