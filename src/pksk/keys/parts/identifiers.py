"""UUIDs and ULIDs in a key: fixed width, lower or upper case as is usual, and sorted as their numbers are."""

from __future__ import annotations

from functools import cached_property
from typing import Any
from uuid import UUID

from pksk.keys.automaton import HEX_DIGITS, AutomatonBuilder
from pksk.keys.parse import Placeholder
from pksk.keys.parts.part import Part, PartCode, PartContext

__all__ = ["UlidPart", "UuidPart"]

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class UuidPart(Part):
    """A UUID in its usual form with lower-case digits."""

    prefix_free = True

    def __init__(self, placeholder: Placeholder, place: PartContext) -> None:
        super().__init__(placeholder, place)
        _refuse_any_spec(self)

    @property
    def type_name(self) -> str:
        return "UUID"

    @property
    def samples(self) -> tuple[str, ...]:
        return (str(UUID(int=0)),)

    @cached_property
    def pattern(self) -> str:
        return "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

    def encode(self, value: Any) -> str:
        if not isinstance(value, UUID):
            self.refuse_type(value, fix=f"give {self.field!r} a UUID: UUID(text) reads one in either case.")
        return str(value)

    def decode(self, text: str) -> Any:
        return UUID(text)

    def extend(self, language: AutomatonBuilder) -> None:
        for character in self.samples[0]:
            language.one([(ord("-"), ord("-"))] if character == "-" else HEX_DIGITS)

    def step(self, value: Any, by: int) -> Any | None:
        number = value.int + by
        return UUID(int=number) if 0 <= number < 1 << 128 else None

    def fast(self, name: str) -> PartCode:
        return PartCode(f"{name}.__class__ is UUID", f"{{{name}}}", {"UUID": UUID})

    @property
    def bytes_range(self) -> tuple[int, int | None]:
        return 36, 36


class UlidPart(Part):
    """A ULID in its usual form, 26 digits in base 32."""

    prefix_free = True

    def __init__(self, placeholder: Placeholder, place: PartContext, ulid: Any) -> None:
        super().__init__(placeholder, place)
        self.ulid = ulid
        _refuse_any_spec(self)

    @property
    def type_name(self) -> str:
        return "ULID"

    @property
    def samples(self) -> tuple[str, ...]:
        return ("0" * 26,)

    @cached_property
    def pattern(self) -> str:
        return f"[0-7][{_CROCKFORD}]{{25}}"

    def encode(self, value: Any) -> str:
        if not isinstance(value, self.ulid):
            self.refuse_type(value, fix=f"give {self.field!r} a ULID: ULID.from_str(text) reads one.")
        return str(value)

    def decode(self, text: str) -> Any:
        return self.ulid.from_str(text)

    def extend(self, language: AutomatonBuilder) -> None:
        language.one([(ord("0"), ord("7"))])
        for _ in range(25):
            language.one([(ord(character), ord(character)) for character in _CROCKFORD])

    def step(self, value: Any, by: int) -> Any | None:
        number = int(value) + by
        return self.ulid.from_int(number) if 0 <= number < 1 << 128 else None

    def fast(self, name: str) -> PartCode:
        return PartCode(f"{name}.__class__ is ULID", f"{{{name}}}", {"ULID": self.ulid})

    @property
    def bytes_range(self) -> tuple[int, int | None]:
        return 26, 26


def _refuse_any_spec(part: Part) -> None:
    if part.placeholder.spec or part.placeholder.cut:
        part.refuse_spec(
            expected=f"A {part.type_name} is written whole, in its usual form.",
            fix=f"write {{{part.field}}}; for a piece of it, declare a field that holds the piece.",
        )
