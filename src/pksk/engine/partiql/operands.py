"""Reads paths and functions of a statement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pksk.engine.faults import validation
from pksk.engine.texts import partiql as texts
from pksk.expressions import Call, Operand, Path
from pksk.expressions.check import check_path
from pksk.expressions.texts import refusal
from pksk.expressions.tokens import MOST_INDEX
from pksk.expressions.tree import Element

from .tokens import Token, Tokens, malformed
from .values import ValueReader

__all__ = ["ARITHMETIC", "OperandReader"]

# The operators that make values; few of them stand anywhere.
ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%", "||"})

_COUNTS: Final = {"begins_with": 2, "contains": 2, "attribute_type": 2, "size": 1}


class OperandReader(ValueReader):
    """Reads operands: what a condition compares, and what an update sets an attribute to."""

    __slots__ = ("operators",)

    def __init__(self, tokens: Tokens) -> None:
        super().__init__(tokens)
        # How many operators and functions the condition has that is being read.
        self.operators = 0

    def name(self) -> str:
        """The name that comes next, in quotes or not."""
        token = self.tokens.next
        if token.kind not in {"word", "quoted"}:
            raise malformed(texts.EXPECTED_NAME)
        return self.tokens.take().text

    def path(self) -> Path:
        """The document path that comes next."""
        elements: list[Element] = [self.name()]
        tokens = self.tokens
        while True:
            if tokens.symbol("."):
                if tokens.next.kind not in {"word", "quoted"}:
                    raise malformed(texts.INVALID_DOT)
                elements.append(tokens.take().text)
            elif tokens.symbol("["):
                elements.append(self._index())
                tokens.expect("]")
            else:
                break
        path = Path(tuple(elements))
        check_path(path, "ProjectionExpression", names=False)
        if "" in elements:
            raise malformed(texts.EXPECTED_NAME)
        return path

    def _index(self) -> Element:
        token = self.tokens.take()
        if token.kind == "string":
            return token.text
        if token.kind != "number" or not token.text.isdigit():
            raise malformed(texts.INVALID_INDEX)
        digits = token.text.lstrip("0") or "0"
        if len(digits) > 10 or int(digits) > MOST_INDEX:
            raise validation(refusal("expression-index-range", "ProjectionExpression", index=digits).problem)
        return int(digits)

    def operand(self) -> Operand:
        """The operand that comes next: a value, a path or a function."""
        tokens = self.tokens
        if self.at_value():
            return self.value()
        token = tokens.next
        if token.kind in {"word", "quoted"}:
            if token.kind == "word" and self.calls():
                return self._call()
            return self.path()
        raise self.unexpected(token)

    def grouped(self, read: Callable[[], Operand]) -> Operand:
        """What is read of an operand that may stand in parentheses."""
        depth = 0
        while self.tokens.symbol("("):
            depth += 1
        operand = read()
        for _ in range(depth):
            self.tokens.expect(")")
        return operand

    def unexpected(self, token: Token) -> Exception:
        """The refusal of a token that begins no operand."""
        if token.kind == "keyword":
            if token.text == "MISSING" or self.calls():
                return self.tokens.located(texts.unsupported_function(token.text.lower()), token)
            return malformed(texts.UNEXPECTED_KEYWORD)
        if token.kind == "symbol" and token.text in _OPERATORS:
            return malformed(texts.UNEXPECTED_OPERATOR)
        return malformed(texts.UNEXPECTED_TERM)

    def calls(self) -> bool:
        """Whether what comes next is called: a parenthesis stands behind it."""
        behind = self.tokens.behind()
        return behind.kind == "symbol" and behind.text == "("

    def _call(self) -> Call:
        token = self.tokens.next
        name = token.text.lower()
        if name not in _COUNTS:
            raise self.tokens.located(texts.unsupported_function(token.text), token)
        operands = self.arguments(name, _COUNTS[name])
        self.operators += 1
        return Call(name, operands)

    def arguments(self, name: str, count: int) -> tuple[Operand, ...]:
        """The function that comes next: its operands, of which it has so many."""
        token = self.tokens.take()
        self.tokens.expect("(")
        operands: list[Operand] = []
        if not self.tokens.at(")"):
            operands.append(self._argument())
            while self.tokens.symbol(","):
                operands.append(self._argument())
        self.tokens.expect(")")
        if len(operands) != count:
            raise self.tokens.located(texts.operand_count(name), token)
        return tuple(operands)

    def _argument(self) -> Operand:
        if self.at_value():
            return self.value()
        if self.calls():
            token = self.tokens.next
            raise self.tokens.located(texts.unsupported_function(token.text), token)
        if self.tokens.next.kind not in {"word", "quoted"}:
            raise self.unexpected(self.tokens.next)
        return self.path()


_OPERATORS: Final = ARITHMETIC | {"=", "<", ">", "<=", ">=", "<>", "!=", "@"}
