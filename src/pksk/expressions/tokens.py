"""The tokens of an expression, and paths and placeholders among them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import ascii_letters
from typing import Any, Final

from pksk.errors import ExpressionError
from pksk.values.boto3_form import normalize_wire

from .reserved_words import RESERVED_WORDS
from .texts import Parameter, expression_error
from .tree import Element, NameRef, Path, Value, ValueRef

MAX_EXPRESSION_BYTES: Final = 4096
MAX_LIST_INDEX: Final = 2**31 - 1

# A number with a leading zero is two tokens, so a syntax error; any other character is a token.
_TOKEN: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9_]*|[#:][A-Za-z0-9_]+|0|[1-9][0-9]*|<=|<>|>=|[^ \t\r\n]", re.DOTALL
)
LETTERS: Final = frozenset(ascii_letters)
_NAME_STARTS: Final = LETTERS | {"#"}
_DIGITS: Final = frozenset("0123456789")
# Tokens are not empty, so this one is the end.
END: Final = ""
KEYWORDS: Final = frozenset({"AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE"})
_LONGEST_KEYWORD: Final = 7


class Tokens:
    """An expression's tokens, read from left to right; errors other than syntax errors are recorded.

    Example:
        >>> tokens = Tokens("lines[0].#s <> :none", "FilterExpression", {"#s": "sku"}, None)
        >>> tokens.path(), tokens.take()
        (Path(elements=('lines', 0, 'sku')), '<>')
    """

    __slots__ = ("_names", "_values", "name_error", "parameter", "position", "text", "tokens")

    def __init__(
        self,
        text: str,
        parameter: Parameter,
        names: Mapping[str, str] | None,
        values: Mapping[str, Mapping[str, Any]] | None,
    ) -> None:
        if not text:
            raise expression_error("expression-empty", parameter)
        if len(text) > MAX_EXPRESSION_BYTES or (
            not text.isascii() and len(text.encode(errors="replace")) > MAX_EXPRESSION_BYTES
        ):
            raise expression_error("expression-too-long", parameter)
        self.text = text
        self.parameter = parameter
        self.tokens: list[str] = _TOKEN.findall(text)
        self.tokens.append(END)
        self.position = 0
        self.name_error: ExpressionError | None = None
        self._names = names
        self._values = values

    def peek(self) -> str:
        """The token that comes next."""
        return self.tokens[self.position]

    def take(self) -> str:
        """Read the next token."""
        token = self.tokens[self.position]
        self.position += 1
        return token

    def expect(self, token: str) -> None:
        """Read this token, or raise an error for another one."""
        if self.tokens[self.position] != token:
            raise self.syntax_error()
        self.position += 1

    def keyword(self) -> str:
        """The next keyword in capitals; empty if the next token is not one."""
        token = self.tokens[self.position]
        if len(token) > _LONGEST_KEYWORD or token[:1] not in LETTERS:
            return ""
        upper = token.upper()
        return upper if upper in KEYWORDS else ""

    def path(self) -> Path:
        """The document path that comes next."""
        tokens = self.tokens
        first = self._name()
        token = tokens[self.position]
        if token not in {".", "["}:
            return Path((first,))
        elements: list[Element] = [first]
        while token in {".", "["}:
            self.position += 1
            elements.append(self._name() if token == "." else self._index())
            token = tokens[self.position]
        return Path(tuple(elements))

    def _name(self) -> Element:
        token = self.tokens[self.position]
        if token[:1] not in _NAME_STARTS or token == "#":
            raise self.syntax_error()
        if token[0] == "#":
            self.position += 1
            known = self._names.get(token) if self._names is not None else None
            return NameRef(token) if known is None else known
        upper = token.upper()
        if upper in RESERVED_WORDS:
            if upper in KEYWORDS:
                raise self.syntax_error()
            self._note(expression_error("expression-reserved-word", self.parameter, name=token))
        self.position += 1
        return token

    def _index(self) -> int:
        token = self.tokens[self.position]
        if token[:1] not in _DIGITS:
            raise self.syntax_error()
        self.position += 1
        self.expect("]")
        if len(token) > 10 or int(token) > MAX_LIST_INDEX:
            self._note(expression_error("expression-index-range", self.parameter, index=token))
            return MAX_LIST_INDEX
        return int(token)

    def _note(self, trouble: ExpressionError) -> None:
        self.name_error = self.name_error or trouble

    def value(self) -> Value | ValueRef:
        """The placeholder of a value that comes next."""
        token = self.tokens[self.position]
        if token[:1] != ":" or len(token) < 2:
            raise self.syntax_error()
        self.position += 1
        known = self._values.get(token) if self._values is not None else None
        return ValueRef(token) if known is None else Value(normalize_wire(known))

    def syntax_error(self) -> ExpressionError:
        """The error for the next token, shown with its neighbours."""
        spans = [found.span() for found in _TOKEN.finditer(self.text)]
        at = self.position
        start = spans[at - 1][0] if at else 0
        end = (
            spans[at + 1][1] if at + 1 < len(spans) else len(self.text) if at >= len(spans) else spans[at][1]
        )
        token = self.tokens[at] or "<EOF>"
        return expression_error("expression-syntax", self.parameter, token=token, near=self.text[start:end])
