"""Bytes in a key, as hex digits, which sort as the bytes do."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from pksk.keys.automaton import HEX_DIGITS, AutomatonBuilder
from pksk.keys.parse import Placeholder
from pksk.keys.parts.part import Part, PartCode, PartContext

__all__ = ["BytesPart"]


class BytesPart(Part):
    """Bytes as lower-case hex digits."""

    def __init__(
        self, placeholder: Placeholder, place: PartContext, *, least: int = 0, most: int | None = None
    ) -> None:
        super().__init__(placeholder, place)
        self.least, self.most = max(least, 1), most
        self.prefix_free = self.discrete = most == self.least
        if placeholder.spec or placeholder.cut:
            self.refuse_spec(
                expected="Bytes are written whole, as two lower-case hex digits each.",
                fix=f"write {{{self.field}}}.",
            )

    @property
    def type_name(self) -> str:
        return "bytes"

    @property
    def samples(self) -> tuple[str, ...]:
        return ()

    @cached_property
    def pattern(self) -> str:
        return f"(?:[0-9a-f]{{2}}){{{self.least},{'' if self.most is None else self.most}}}"

    def encode(self, value: Any) -> str:
        if not isinstance(value, (bytes, bytearray, memoryview)):
            self.refuse_type(value)
        data = bytes(value)
        if len(data) < self.least or (self.most is not None and len(data) > self.most):
            self.refuse(
                "key-length",
                f"field {self.field!r} has {len(data)} bytes; {self.least} to {self.most or 'any number'} are allowed.",
                fix=f"give {self.field!r} a value of the declared length; no part may be empty.",
            )
        return data.hex()

    def decode(self, text: str) -> Any:
        return bytes.fromhex(text)

    def extend(self, language: AutomatonBuilder) -> None:
        start = language.end
        language.one(HEX_DIGITS)
        language.one(HEX_DIGITS)
        language.jumps[language.end].append(start)

    def above(self, left: Any, right: Any) -> bool:
        return bytes(left) > bytes(right)

    def step(self, value: Any, by: int) -> Any | None:
        """The bytes of the same length that sort next to these."""
        number = int.from_bytes(value) + by
        return number.to_bytes(len(value)) if 0 <= number < 256 ** len(value) else None

    def fast(self, name: str) -> PartCode:
        if self.least > 1 or self.most is not None:
            return super().fast(name)
        return PartCode(f"{name}.__class__ is bytes and {name}", f"{{{name}.hex()}}")

    @property
    def bytes_range(self) -> tuple[int, int | None]:
        return 2 * self.least, None if self.most is None else 2 * self.most
