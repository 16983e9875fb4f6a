"""UUIDs, ULIDs and IP addresses in a key: in a form that has a fixed width and sorts like their numbers."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pksk.errors import quote
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
        is_ulid = getattr(declared.type, "__name__", "") == "ULID"
        fits = is_ulid and hasattr(declared.type, "from_str") and hasattr(declared.type, "from_int")
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


_OCTET = "(?:[01][0-9]{2}|2[0-4][0-9]|25[0-5])"
# For each class of ipaddress: the pattern of its texts, a sample of them, and the number of addresses.
_ADDRESSES = {
    "IPv4Address": (rf"{_OCTET}(?:\.{_OCTET}){{3}}", "000.000.000.000", 1 << 32),
    "IPv6Address": ("[0-9a-f]{4}(?::[0-9a-f]{4}){7}", ":".join(["0000"] * 8), 1 << 128),
}
ADDRESS_NAMES = tuple(_ADDRESSES)


def address_class(name: str) -> Any:
    """The class of this name in ipaddress, which is loaded only if it is used."""
    return getattr(import_module("ipaddress"), name)


class AddressPart(Part):
    """An IP address with all its digits: 010.000.000.007, or eight groups of four hex digits."""

    takes = " and ".join(ADDRESS_NAMES)
    prefix_free = True

    def __init__(self, placeholder: Placeholder, context: PartContext, address: Any) -> None:
        super().__init__(placeholder, context)
        self.address = address
        self._pattern, self._sample, self._count = _ADDRESSES[address.__name__]
        _reject_any_spec(self)

    @classmethod
    def build(cls, placeholder: Placeholder, declared: FieldType, context: PartContext) -> Part | None:
        kind = declared.type
        fits = getattr(kind, "__module__", "") == "ipaddress" and kind.__name__ in _ADDRESSES
        return cls(placeholder, context, kind) if fits else None

    @property
    def type_name(self) -> str:
        return str(self.address.__name__)

    @property
    def sample_texts(self) -> tuple[str, ...]:
        return (self._sample,)

    @property
    def pattern(self) -> str:
        return self._pattern

    def encode(self, value: Any) -> str:
        # Not a subclass: an interface has a network too.
        if value.__class__ is not self.address:
            self.reject_type(
                value, fix=f"pass an {self.type_name} for {self.field!r}; {self.type_name}(text) parses one."
            )
        if getattr(value, "scope_id", None) is not None:
            self.reject(
                "key-wrong-type",
                f"field {self.field!r} is {quote(str(value))}, and a key does not hold the zone of an address.",
                fix="pass the address without its zone, and keep the zone in a field of its own.",
            )
        return (
            ".".join(f"{octet:03d}" for octet in value.packed) if value.version == 4 else str(value.exploded)
        )

    def decode(self, text: str) -> Any:
        return self.address(bytes(map(int, text.split("."))) if "." in text else text)

    def add_to_automaton(self, language: AutomatonBuilder) -> None:
        for character in self._sample:
            language.one([(ord(character), ord(character))] if character in ".:" else language.HEX_DIGITS)

    def neighbour(self, value: Any, by: int) -> Any | None:
        number = int(value) + by
        return self.address(number) if 0 <= number < self._count else None

    @property
    def bytes_range(self) -> tuple[int, int | None]:
        return len(self._sample), len(self._sample)


def _reject_any_spec(part: Part) -> None:
    if part.placeholder.spec or part.placeholder.cut:
        part.reject_spec(
            expected=f"A {part.type_name} is written whole, in its usual form.",
            fix=f"write {{{part.field}}}; for a part of it, declare a separate field.",
        )
