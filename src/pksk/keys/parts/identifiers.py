"""UUIDs and ULIDs in a key: in their usual form, which has a fixed width and sorts like their numbers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pksk.keys.parse import Placeholder
from pksk.keys.parts.part import FieldType, Part, PartCode, PartContext

if TYPE_CHECKING:
    from pksk.keys.automaton import AutomatonBuilder

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class UuidPart(Part):
    """A UUID in its usual form with lower-case digits."""

    names = ("UUID", "uuid")
    value_class = UUID
    takes = "UUID"
    prefix_free = True

    def __init__(self, placeholder: Placeholder, context: PartContext) -> None:
        super().__init__(placeholder, context)
        _reject_any_spec(self)

    @property
    def sample_texts(self) -> tuple[str, ...]:
        return (str(UUID(int=0)),)

    @cached_property
    def pattern(self) -> str:
        return "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

    def encode(self, value: Any) -> str:
        if not isinstance(value, UUID):
            self.reject_type(value, fix=f"pass a UUID for {self.field!r}; UUID(text) parses one.")
        return str(value)

    def decode(self, text: str) -> Any:
        return UUID(text)

    def add_to_automaton(self, language: AutomatonBuilder) -> None:
        for character in self.sample_texts[0]:
            language.one([(ord("-"), ord("-"))] if character == "-" else language.HEX_DIGITS)

    def neighbour(self, value: Any, by: int) -> Any | None:
        number = value.int + by
        return UUID(int=number) if 0 <= number < 1 << 128 else None

    def encode_code(self, name: str) -> PartCode:
        return PartCode(f"{name}.__class__ is UUID", f"{{{name}}}", {"UUID": UUID})

    @property
    def bytes_range(self) -> tuple[int, int | None]:
        return 36, 36


class UlidPart(Part):
    """A ULID in its usual form, 26 digits in base 32."""

    takes = "ULID"
    prefix_free = True

    def __init__(self, placeholder: Placeholder, context: PartContext, ulid: Any) -> None:
        super().__init__(placeholder, context)
        self.ulid = ulid
        _reject_any_spec(self)

    @classmethod
    def build(cls, placeholder: Placeholder, declared: FieldType, context: PartContext) -> Part | None:
        # Detected by name, so that the ulid library is optional.
        named = getattr(declared.type, "__name__", "") == "ULID"
        fits = named and hasattr(declared.type, "from_str") and hasattr(declared.type, "from_int")
        return cls(placeholder, context, declared.type) if fits else None

    @property
    def sample_texts(self) -> tuple[str, ...]:
        return ("0" * 26,)

    @cached_property
    def pattern(self) -> str:
        return f"[0-7][{_CROCKFORD}]{{25}}"

    def encode(self, value: Any) -> str:
        if not isinstance(value, self.ulid):
            self.reject_type(value, fix=f"pass a ULID for {self.field!r}; ULID.from_str(text) parses one.")
        return str(value)

    def decode(self, text: str) -> Any:
        return self.ulid.from_str(text)

    def add_to_automaton(self, language: AutomatonBuilder) -> None:
        language.one([(ord("0"), ord("7"))])
        for _ in range(25):
            language.one([(ord(character), ord(character)) for character in _CROCKFORD])

    def neighbour(self, value: Any, by: int) -> Any | None:
        number = int(value) + by
        return self.ulid.from_int(number) if 0 <= number < 1 << 128 else None

    def encode_code(self, name: str) -> PartCode:
        return PartCode(f"{name}.__class__ is ULID", f"{{{name}}}", {"ULID": self.ulid})

    @property
    def bytes_range(self) -> tuple[int, int | None]:
        return 26, 26


def _reject_any_spec(part: Part) -> None:
    if part.placeholder.spec or part.placeholder.cut:
        part.reject_spec(
            expected=f"A {part.type_name} is written whole, in its usual form.",
            fix=f"write {{{part.field}}}; for a part of it, declare a separate field.",
        )
