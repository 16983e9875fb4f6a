"""Numbers in a key: plain for equality, or at a fixed width that sorts like the numbers."""

from __future__ import annotations

import re
from abc import abstractmethod
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pksk.errors import quote
from pksk.keys.operators import Operator, between, gte, lte
from pksk.keys.parse import Placeholder
from pksk.keys.parts.part import Part, PartCode, PartContext
from pksk.limits import PARTITION_KEY_BYTES

if TYPE_CHECKING:
    from pksk.keys.automaton import AutomatonBuilder

_NINES = str.maketrans("0123456789", "9876543210")

# No key fits more digits, and str() of a much larger number is slow or fails.
_MAX_DIGITS = PARTITION_KEY_BYTES
_MAX_BITS = int(_MAX_DIGITS * 3.33)

_RANGES = frozenset(("gt", "gte", "lt", "lte", "between"))

# A value that a message can repeat as a Decimal.
_SHORT_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?")


def nines_complement(digits: str) -> str:
    """The digits of a negative number, so that -9 sorts before -5.

    Example:
        >>> nines_complement("000005"), nines_complement("000009")
        ('999994', '999990')
    """
    return digits.translate(_NINES)


class NumberPart(Part):
    """The common base of integers and decimals: scale, width and sign."""

    spec_form = ""
    spec_example = ""

    def __init__(self, placeholder: Placeholder, context: PartContext) -> None:
        super().__init__(placeholder, context)
        self.digits, self.scale = self._read_spec()
        if self.digits:
            self.prefix_free = True
        else:
            self.ordered = self.discrete = False
            self.unordered_because = (
                f"{placeholder} is plain text, which sorts 10 before 9; "
                f"write {{{self.field}:{self.spec_example}}} for numbers that sort"
            )

    def _read_spec(self) -> tuple[int, int]:
        """The number of digits, and how many of them follow the point; (0, 0) for plain numbers."""
        if not self.placeholder.spec and not self.placeholder.cut:
            return 0, 0
        match = re.fullmatch(self.spec_form, self.placeholder.spec)
        if match and not self.placeholder.cut:
            width, scale = int(match["width"]), int(match.groupdict().get("scale") or 0)
            digits = width - (1 if scale else 0)
            if digits > scale and digits <= _MAX_DIGITS:
                return digits, scale
        self.reject_spec(
            expected=f"{self.type_name} is written plainly, {{{self.field}}}, or at a fixed width of at most "
            f"{_MAX_DIGITS} digits, one or more before the point, as in {{{self.field}:{self.spec_example}}}.",
            fix=f"write {{{self.field}:{self.spec_example}}}.",
        )

    def shape(self, digits: str) -> str:
        """The digits at a fixed width, with the decimal point."""
        return f"{digits[: -self.scale]}.{digits[-self.scale :]}" if self.scale else digits

    def encode_scaled(self, scaled: int, value: object) -> str:
        """The text at the declared width of a number scaled to an integer."""
        digits = str(abs(scaled)) if abs(scaled).bit_length() <= _MAX_BITS else "9" * (_MAX_DIGITS + 1)
        if len(digits) > self.digits:
            before = self.digits - self.scale
            self.reject(
                "key-number-too-wide",
                f"field {self.field!r} is {quote(value)}, which needs {len(digits) - self.scale} digits before the "
                f"point; {self.placeholder} has room for {before}.",
                fix="declare a larger width (and rewrite existing keys), or limit the value.",
            )
        padded = digits.zfill(self.digits)
        return "-" + self.shape(nines_complement(padded)) if scaled < 0 else self.shape(padded)

    def decode_scaled(self, text: str) -> int:
        """The inverse of encode_scaled."""
        digits = text.replace(".", "")
        if not digits.startswith("-"):
            return int(digits)
        scaled = -int(nines_complement(digits[1:]))
        if scaled == 0:
            raise ValueError(text)
        return scaled

    def expand_operator(self, operator: Operator) -> Operator:
        """The same range with ends that the key can hold: up to 10,000 means up to 9,999 in four digits."""
        ends = [each for each in map(self.scaled_around, operator.operands) if each is not None]
        is_range = self.digits and operator.name in _RANGES and len(ends) == len(operator.operands)
        if not is_range or all(below == above for below, above in ends):
            return operator
        (_, low), (high, _) = ends[0], ends[-1]
        # Encoding the ends of a range without any value says why there is none.
        if operator.name == "between":
            return between(self.unscaled(low), self.unscaled(high)) if low <= high else operator
        if operator.name in ("gt", "gte"):
            return gte(self.unscaled(low)) if low < 10**self.digits else operator
        return lte(self.unscaled(high)) if high > -(10**self.digits) else operator

    @abstractmethod
    def scaled_around(self, value: Any) -> tuple[int, int] | None:
        """The scaled numbers at or next to a value that the key can hold, or beyond; None for another type."""

    @abstractmethod
    def unscaled(self, scaled: int) -> Any:
        """The value of a scaled number."""

    def within_width(self, below: int, above: int) -> tuple[int, int]:
        """The same numbers, or for those beyond the width its last one and the one after it."""
        limit = 10**self.digits
        if below >= limit:
            return limit - 1, limit
        return (-limit, 1 - limit) if above <= -limit else (below, above)

    @property
    def fixed_pattern(self) -> str:
        """The pattern of a number at the declared width."""
        before = self.digits - self.scale
        shape = f"[0-9]{{{before}}}" + (rf"\.[0-9]{{{self.scale}}}" if self.scale else "")
        return f"(?:{shape}|-(?!{self.shape('9' * self.digits)}(?![0-9])){shape})"

    def extend_fixed(self, language: AutomatonBuilder) -> None:
        """Add all numbers of the declared width, and minus zero, which decode rejects."""
        language.choice(["", "-"])
        for index in range(self.digits):
            if self.scale and index == self.digits - self.scale:
                language.word(".")
            language.one(language.DIGITS)

    @property
    def bytes_range(self) -> tuple[int, int | None]:
        width = self.digits + (1 if self.scale else 0)
        return (width, width + 1) if width else (1, None)


class IntPart(NumberPart):
    """A whole number."""

    names = ("int",)
    value_class = int
    takes = "int"
    spec_form = r"0(?P<width>[1-9][0-9]*)d"
    spec_example = "06d"

    @property
    def sample_texts(self) -> tuple[str, ...]:
        return ("0", "-1")

    @cached_property
    def pattern(self) -> str:
        return self.fixed_pattern if self.digits else "(?:0|-?[1-9][0-9]*)"

    def encode(self, value: Any) -> str:
        if not isinstance(value, int) or isinstance(value, bool):
            self.reject_type(value)
        number = int(value)
        if self.digits:
            return self.encode_scaled(number, value)
        if number.bit_length() > _MAX_BITS:
            self.reject(
                "key-number-too-wide",
                f"field {self.field!r} has {number.bit_length()} bits, more than a key can hold.",
                fix="use a number with fewer than 2,000 digits.",
            )
        return str(number)

    def decode(self, text: str) -> Any:
        return self.decode_scaled(text) if self.digits else int(text)

    def scaled_around(self, value: Any) -> tuple[int, int] | None:
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return self.within_width(int(value), int(value)) if is_number else None

    def unscaled(self, scaled: int) -> int:
        return scaled

    def add_to_automaton(self, language: AutomatonBuilder) -> None:
        if self.digits:
            self.extend_fixed(language)
        else:
            language.choice(["", "-"])
            language.repeat(language.DIGITS, minimum=1)

    def neighbour(self, value: Any, by: int) -> Any | None:
        number = int(value) + by
        return number if abs(number) < 10**self.digits else None

    def encode_code(self, name: str) -> PartCode:
        if not self.digits:
            small = 10**18
            return PartCode(f"{name}.__class__ is int and {-small} < {name} < {small}", f"{{{name}}}")
        return PartCode(
            f"{name}.__class__ is int and 0 <= {name} <= {'9' * self.digits}", f"{{{name}:0{self.digits}d}}"
        )


class DecimalPart(NumberPart):
    """A decimal number; digits beyond the declared scale raise an error instead of being rounded."""

    names = ("Decimal", "decimal")
    value_class = Decimal
    takes = "Decimal"
    spec_form = r"0(?P<width>[1-9][0-9]*)\.(?P<scale>[0-9]+)f"
    spec_example = "010.2f"

    @property
    def sample_texts(self) -> tuple[str, ...]:
        return ("0", "-1.5")

    @cached_property
    def pattern(self) -> str:
        plain = r"(?:0|-?(?:[1-9][0-9]*(?:\.[0-9]*[1-9])?|0\.[0-9]*[1-9]))"
        return self.fixed_pattern if self.digits else plain

    def encode(self, value: Any) -> str:
        sign, digits, exponent = self._digits_of(value)
        if not self.digits:
            return _plain(sign, digits, exponent)
        exponent += self.scale
        if exponent < 0:
            self.reject(
                "key-number-scale",
                f"field {self.field!r} is {quote(str(value))}, which has more digits after the point than the "
                f"{self.scale} of {self.placeholder}.",
                fix="round the value first, or declare a larger scale.",
            )
        scaled = int(digits) * 10**exponent
        return self.encode_scaled(-scaled if sign else scaled, str(value))

    def _digits_of(self, value: Any) -> tuple[int, str, int]:
        """Sign, digits without trailing zeros, and exponent; the same for equal numbers."""
        if isinstance(value, bool) or not isinstance(value, (Decimal, int)):
            self.reject_type(
                value, fix=f"give {self.field!r} a Decimal made from text: {_decimal_example(value)}."
            )
        number = value if isinstance(value, Decimal) else Decimal(value)
        if not number.is_finite():
            self.reject(
                "key-nan",
                f"field {self.field!r} is {number}, which cannot be compared.",
                fix=f"leave {self.field!r} out of the item, or set a number.",
            )
        if number and abs(number.adjusted()) >= _MAX_DIGITS:
            self.reject(
                "key-number-too-wide",
                f"field {self.field!r} is {number}, which needs more digits than a key can hold.",
                fix="use a smaller number.",
            )
        sign, figures, exponent = number.as_tuple()
        digits = "".join(map(str, figures)).lstrip("0")
        significant = digits.rstrip("0")
        return (
            (sign, significant, int(exponent) + len(digits) - len(significant))
            if significant
            else (0, "0", 0)
        )

    def decode(self, text: str) -> Any:
        if not self.digits:
            return Decimal(text)
        return self.unscaled(self.decode_scaled(text))

    def scaled_around(self, value: Any) -> tuple[int, int] | None:
        if isinstance(value, bool) or not isinstance(value, (Decimal, int)) or not Decimal(value).is_finite():
            return None
        sign, figures, exponent = Decimal(value).as_tuple()
        number, shift = Decimal((0, figures, 0)), int(exponent) + self.scale
        if number and number.adjusted() + shift >= self.digits:
            below = above = 10**self.digits
        elif shift >= 0 or not number:
            below = above = int(number) * 10 ** max(shift, 0)
        else:
            below, rest = (0, 1) if -shift > len(figures) else divmod(int(number), 10**-shift)
            above = below + (1 if rest else 0)
        return self.within_width(-above, -below) if sign else self.within_width(below, above)

    def unscaled(self, scaled: int) -> Decimal:
        return _unscaled(scaled, self.scale)

    def add_to_automaton(self, language: AutomatonBuilder) -> None:
        if self.digits:
            self.extend_fixed(language)
            return
        language.choice(["", "-"])
        language.repeat(language.DIGITS, minimum=1)
        whole = language.end
        language.word(".")
        language.repeat(language.DIGITS, minimum=1)
        language.jumps[whole].append(language.end)

    def neighbour(self, value: Any, by: int) -> Any | None:
        scaled = self.decode_scaled(self.encode(value)) + by
        return self.unscaled(scaled) if abs(scaled) < 10**self.digits else None

    def encode_code(self, name: str) -> PartCode:
        return PartCode(f"{name}.__class__ is Decimal", f"{{encode_{name}({name})}}", {
            "Decimal": Decimal, f"encode_{name}": self.encode,
        })  # fmt: skip


def _plain(sign: int, digits: str, exponent: int) -> str:
    if exponent >= 0:
        text = digits + "0" * exponent
    elif -exponent < len(digits):
        text = f"{digits[:exponent]}.{digits[exponent:]}"
    else:
        text = f"0.{'0' * (-exponent - len(digits))}{digits}"
    return "-" + text if sign else text


def _unscaled(scaled: int, scale: int) -> Decimal:
    """A Decimal with any number of digits; arithmetic would round to the context's precision."""
    return Decimal((1 if scaled < 0 else 0, tuple(map(int, str(abs(scaled)))), -scale))


def _decimal_example(value: object) -> str:
    """How to write a value as a Decimal, or an example of one."""
    text = str(value)
    is_number = _SHORT_NUMBER.fullmatch(text) is not None
    return f"Decimal('{text}')" if is_number else "Decimal('12.50'), for example"
