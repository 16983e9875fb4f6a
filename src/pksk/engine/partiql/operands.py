"""Parses operands of a statement: literals, parameters, paths and functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pksk.client import ServiceError
from pksk.engine import texts
from pksk.engine.service_errors import validation
from pksk.expressions import Call, Operand, Path
from pksk.expressions.check import OPERAND_COUNTS, check_path
from pksk.expressions.texts import expression_error
from pksk.expressions.tokens import MAX_LIST_INDEX
from pksk.expressions.tree import Element

from .literals import ValueReader
from .tokens import Token, Tokens, malformed_statement

# Most of these are not supported.
ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%", "||"})

# Keywords that begin no operand, as they are operators.
_OPERATOR_WORDS: Final = frozenset(
    {"AND", "BETWEEN", "EXCEPT", "IN", "INTERSECT", "IS", "LIKE", "OR", "UNION"}
)


class OperandReader(ValueReader):
    """Parses the operands of conditions and updates."""

    __slots__ = ("operators",)

    def __init__(self, tokens: Tokens) -> None:
        super().__init__(tokens)
        # Of the condition that is being parsed, with functions.
        self.operators = 0

    def name(self) -> str:
        """The next name, quoted or not."""
        token = self.tokens.next
        if token.kind not in {"word", "quoted"}:
            raise malformed_statement(texts.EXPECTED_NAME)
        return self.tokens.take().text

    def path(self) -> Path:
        """The next document path."""
        elements: list[Element] = [self.name()]
        tokens = self.tokens
        while True:
            if tokens.symbol("."):
                if tokens.next.kind not in {"word", "quoted"}:
                    raise malformed_statement(texts.INVALID_DOT)
                elements.append(tokens.take().text)
            elif tokens.symbol("["):
                elements.append(self._index())
                tokens.expect("]")
            else:
                break
        path = Path(tuple(elements))
        check_path(path, "ProjectionExpression", names=False)
        if "" in elements:
            raise malformed_statement(texts.EXPECTED_NAME)
        return path

    def _index(self) -> Element:
        tokens = self.tokens
        if tokens.next.kind == "string":
            return tokens.take().text
        if not tokens.at_signed_number():
            raise malformed_statement("Invalid path component for simple path")
        text, token = tokens.signed_number()
        if not token.text.isdigit():
            raise malformed_statement("Invalid path component for simple path")
        digits = token.text.lstrip("0") or "0"
        if text[0] == "-" and digits != "0":
            raise tokens.located(f"List index is not within the allowable range; index: [-{digits}]", token)
        if len(digits) > 10 or int(digits) > MAX_LIST_INDEX:
            raise expression_error("expression-index-range", "ProjectionExpression", index=digits)
        return int(digits)

    def operand(self) -> Operand:
        """The next operand: a value, a path or a function."""
        tokens = self.tokens
        if self.at_value():
            return self.value()
        token = tokens.next
        if token.kind in {"word", "quoted"}:
            if token.kind == "word" and self.at_call():
                return self._call()
            return self.path()
        raise self.unexpected(token)

    def grouped(self, read: Callable[[], Operand]) -> Operand:
        """An operand with or without parentheses."""
        depth = 0
        while self.tokens.symbol("("):
            depth += 1
        operand = read()
        for _ in range(depth):
            self.tokens.expect(")")
        return operand

    def unexpected(self, token: Token) -> Exception:
        """The error for a token that cannot begin an operand."""
        if token.kind == "keyword":
            if token.text in _OPERATOR_WORDS:
                return malformed_statement(texts.UNEXPECTED_OPERATOR)
            if token.text == "MISSING" or self.at_call():
                return self.unrecognized(token)
            return malformed_statement(texts.UNEXPECTED_KEYWORD)
        if token.kind == "symbol" and token.text in _OPERATORS:
            return malformed_statement(texts.UNEXPECTED_OPERATOR)
        return malformed_statement(texts.UNEXPECTED_TERM)

    def unrecognized(self, token: Token) -> ServiceError:
        """The error for a function that does not exist, or not here."""
        return self.tokens.located(f"Unrecognized function: {token.text.lower()}", token)

    def at_call(self) -> bool:
        """Whether a parenthesis follows the next token."""
        second = self.tokens.peek_second()
        return second.kind == "symbol" and second.text == "("

    def _call(self) -> Call:
        token = self.tokens.next
        name = token.text.lower()
        if name not in OPERAND_COUNTS:
            raise self.unrecognized(token)
        operands = self.counted_arguments(name, OPERAND_COUNTS[name])
        self.operators += 1
        return Call(name, operands)

    def counted_arguments(self, name: str, count: int) -> tuple[Operand, ...]:
        """The operands of the next function, which must be `count`."""
        self.tokens.take()
        operands = self.arguments()
        if len(operands) != count:
            raise validation(
                "Incorrect number of operands for operator or function; "
                f"operator or function: {name}, number of operands: {len(operands)}"
            )
        return operands

    def arguments(self) -> tuple[Operand, ...]:
        """The operands in parentheses, after the name of a function."""
        self.tokens.expect("(")
        operands: list[Operand] = []
        if not self.tokens.at(")"):
            operands.append(self._argument())
            while self.tokens.symbol(","):
                operands.append(self._argument())
        self.tokens.expect(")")
        return tuple(operands)

    def _argument(self) -> Operand:
        if self.at_value():
            return self.value()
        if self.at_call():
            raise self.unrecognized(self.tokens.next)
        if self.tokens.next.kind not in {"word", "quoted"}:
            raise self.unexpected(self.tokens.next)
        return self.path()


_OPERATORS: Final = ARITHMETIC | {"=", "<", ">", "<=", ">=", "<>", "!=", "@"}
