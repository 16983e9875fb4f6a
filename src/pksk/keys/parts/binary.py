"""Bytes in a key, as hex digits, which sort like the bytes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from pksk.keys.parse import Placeholder
from pksk.keys.parts.part import FieldType, Part, PartCode, PartContext

if TYPE_CHECKING:
    from pksk.keys.automaton import AutomatonBuilder


class BytesPart(Part):
    """Bytes as lower-case hex digits."""

    names = ("bytes",)
    value_class = bytes
    takes = "bytes"

    def __init__(
        self,
        placeholder: Placeholder,
        context: PartContext,
        *,
        min_length: int = 0,
        max_length: int | None = None,
    ) -> None:
        super().__init__(placeholder, context)
        self.min_length, self.max_length = max(min_length, 1), max_length
        self.prefix_free = self.discrete = max_length == self.min_length
        if placeholder.spec or placeholder.cut:
            self.reject_spec(
                expected="Bytes are written whole, as two lower-case hex digits each.",
                fix=f"write {{{self.field}}}.",
            )

    @classmethod
    def build(cls, placeholder: Placeholder, declared: FieldType, context: PartContext) -> Part | None:
        if declared.type is not bytes:
            return None
        return cls(placeholder, context, min_length=declared.min_length, max_length=declared.max_length)

    @property
    def sample_texts(self) -> tuple[str, ...]:
        return ()

    @cached_property
    def pattern(self) -> str:
        return f"(?:[0-9a-f]{{2}}){{{self.min_length},{'' if self.max_length is None else self.max_length}}}"

    def encode(self, value: Any) -> str:
        if not isinstance(value, (bytes, bytearray, memoryview)):
            self.reject_type(value)
        data = bytes(value)
        if len(data) < self.min_length or (self.max_length is not None and len(data) > self.max_length):
            self.reject(
                "key-length",
                f"field {self.field!r} has {len(data)} bytes; {self.min_length} to "
                f"{self.max_length or 'any number'} are allowed.",
                fix=f"pass {self.field!r} with the declared length; parts cannot be empty.",
            )
        return data.hex()

    def decode(self, text: str) -> Any:
        return bytes.fromhex(text)

    def add_to_automaton(self, language: AutomatonBuilder) -> None:
        start = language.end
        language.one(language.HEX_DIGITS)
        language.one(language.HEX_DIGITS)
        language.jumps[language.end].append(start)

    def is_greater(self, left: Any, right: Any) -> bool:
        return bytes(left) > bytes(right)

    def neighbour(self, value: Any, by: int) -> Any | None:
        """The adjacent bytes of the same length."""
        number = int.from_bytes(value) + by
        return number.to_bytes(len(value)) if 0 <= number < 256 ** len(value) else None

    def encode_code(self, name: str) -> PartCode:
        if self.min_length > 1 or self.max_length is not None:
            return super().encode_code(name)
        return PartCode(f"{name}.__class__ is bytes and {name}", f"{{{name}.hex()}}")

    @property
    def bytes_range(self) -> tuple[int, int | None]:
        return 2 * self.min_length, None if self.max_length is None else 2 * self.max_length
