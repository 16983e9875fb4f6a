"""Parses the condition of WHERE: comparisons and functions with AND, OR, NOT and parentheses."""

from __future__ import annotations

from typing import Any, Final

from pksk.engine import texts
from pksk.engine.service_errors import validation
from pksk.expressions import (
    And,
    Between,
    Call,
    Compare,
    Condition,
    In,
    Not,
    Operand,
    Or,
    Path,
    Value,
    ValueRef,
)
from pksk.expressions.condition_reader import Junctions
from pksk.limits import IN_OPERANDS

from .operands import ARITHMETIC, OperandReader
from .tokens import Token, malformed_statement

MOST_OPERATORS: Final = 300
_COMPARATORS: Final = {"=": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_LISTS: Final = {"(": ")", "[": "]", "<<": ">>"}
# The types of IS, and their types in DynamoDB.
_TYPES: Final = {
    "NULL": "NULL",
    "STRING": "S",
    "BOOL": "BOOL",
    "BOOLEAN": "BOOL",
    "DECIMAL": "N",
    "NUMERIC": "N",
    "BLOB": "B",
    "LIST": "L",
    "STRUCT": "M",
    "TUPLE": "M",
}


_TRUE: Final = Value({"BOOL": True})
_FALSE: Final = Value({"BOOL": False})
_NEVER: Final = Compare("=", _TRUE, _FALSE)
# Each doubles the condition.
_MOST_EQUIVALENCES: Final = 5


def _is_condition(operand: Operand | Condition) -> bool:
    """Whether an operand is a condition itself: a function that is true or false, or a condition in parentheses."""
    return not isinstance(operand, Path | Value | ValueRef) and not (
        isinstance(operand, Call) and operand.name == "size"
    )


class ConditionReader(OperandReader):
    """Parses one condition without recursion, since it may have thousands of parentheses."""

    __slots__ = ("_equivalences", "_open")

    def condition(self) -> Condition:
        """The next condition."""
        self._open = Junctions()
        self.operators = self._equivalences = 0
        while True:
            self._open_groups()
            begin = self.tokens.next
            if begin.kind == "end" and self._open.running():
                raise malformed_statement(texts.MISSING_OPERAND)
            joined = self._join(self._test(self.operand(), begin))
            if joined is not None:
                if self.operators > MOST_OPERATORS:
                    raise _too_many_operators()
                return joined

    def _open_groups(self) -> None:
        tokens = self.tokens
        while True:
            if tokens.symbol("("):
                if tokens.at(")"):
                    raise malformed_statement(texts.EMPTY_GROUP)
                self._open.open_group()
            elif tokens.keyword("NOT"):
                self.operators += 1
                self._open.open_not()
            else:
                return

    def _test(self, operand: Operand, begin: Token) -> Condition:
        """The condition that begins with this operand; parentheses may close after the operand."""
        tokens = self.tokens
        while True:
            leaf = self._leaf(operand)
            if leaf is not None:
                if isinstance(leaf, Between):
                    self._check_used(operand, begin)
                return leaf
            if tokens.at(")") and self._open.in_group():
                if isinstance(operand, Call) and operand.name != "size":
                    return operand
                tokens.take()
                self._open.close_group()
            elif isinstance(operand, Call) and operand.name != "size":
                return operand
            else:
                raise self._incomplete(begin)

    def _check_used(self, operand: Operand, begin: Token) -> None:
        """Raise if an operand is a function that is a condition itself."""
        if isinstance(operand, Call) and operand.name != "size":
            raise self.tokens.located(texts.UNEXPECTED_CONDITION, begin)

    def _incomplete(self, begin: Token) -> Exception:
        token = self.tokens.next
        if (token.kind == "symbol" and token.text in ARITHMETIC) or token.text == "LIKE":
            return self.tokens.located(texts.UNSUPPORTED_OPERATOR, token)
        if token.kind in {"end", "keyword"}:
            return self.tokens.located(texts.UNEXPECTED_CONDITION, begin)
        return malformed_statement(texts.AFTER_EXPRESSION)

    def _leaf(self, operand: Operand | Condition) -> Condition | None:
        token = self.tokens.next
        if token.kind == "symbol" and token.text in _COMPARATORS:
            self.tokens.take()
            self.operators += 1
            return self._comparison(_COMPARATORS[token.text], operand, self._right(conditions=True))
        if token.kind != "keyword":
            return None
        if token.text == "IS":
            return self._is(operand)
        if token.text == "NOT":
            return self._negated_leaf(operand)
        return self._in_or_between(operand)

    def _comparison(self, operator: str, left: Operand | Condition, right: Operand | Condition) -> Condition:
        """A comparison; conditions are compared as booleans."""
        if not _is_condition(left) and not _is_condition(right):
            return Compare(operator, left, right)  # type: ignore[arg-type]
        if operator not in {"=", "<>"}:
            raise validation(
                "Incorrect operand type for operator or function; "
                f"operator or function: {operator}, operand type: BOOL"
            )
        equal = self._equality(left, right) if _is_condition(left) else self._equality(right, left)
        return equal if operator == "=" else Not(equal)

    def _equality(self, condition: Any, other: Any) -> Condition:
        """Whether a condition has the boolean value of an operand, or of another condition."""
        if isinstance(other, Value):
            if other.kind != "BOOL":
                return _NEVER
            return Not(condition) if not other.wire["BOOL"] else condition
        self._equivalences += 1
        if self._equivalences > _MOST_EQUIVALENCES:
            raise _too_many_operators()
        holds, fails = (
            (other, Not(other))
            if _is_condition(other)
            else (Compare("=", other, _TRUE), Compare("=", other, _FALSE))
        )
        return Or((And((condition, holds)), And((Not(condition), fails))))

    def _in_or_between(self, operand: Operand | Condition) -> Condition | None:
        if self.tokens.keyword("IN"):
            self.operators += 1
            return self._in(operand)
        if self.tokens.keyword("BETWEEN"):
            self.operators += 1
            return self._between(operand)
        return None

    def _negated_leaf(self, operand: Operand | Condition) -> Condition | None:
        self.tokens.take()
        self.operators += 1
        leaf = self._in_or_between(operand)
        if leaf is None:
            raise malformed_statement(texts.AFTER_EXPRESSION)
        return Not(leaf)

    def _right(self, *, conditions: bool = False) -> Operand:
        """The operand on the right, with or without parentheses; a function that is a condition if it may be one."""
        tokens = self.tokens
        operand = self.grouped(self._any_right_operand if conditions else self._right_operand)
        if tokens.next.kind == "symbol" and tokens.next.text in ARITHMETIC:
            raise tokens.located(texts.UNSUPPORTED_OPERATOR, tokens.next)
        return operand

    def _right_operand(self) -> Operand:
        begin = self.tokens.next
        operand = self._any_right_operand()
        self._check_used(operand, begin)
        return operand

    def _any_right_operand(self) -> Operand:
        if self.tokens.next.kind == "end":
            raise malformed_statement(texts.MISSING_OPERAND)
        return self.operand()

    def _is(self, operand: Operand | Condition) -> Condition:
        self.tokens.take()
        self.operators += 1
        negated = self.tokens.keyword("NOT")
        self.operators += negated
        token = self.tokens.take()
        if token.kind != "keyword" or (token.text not in _TYPES and token.text != "MISSING"):
            raise malformed_statement("Expected type name")
        if not isinstance(operand, Path):
            raise self.tokens.located(texts.UNEXPECTED_CONDITION, token)
        if token.text == "MISSING":
            return Call("attribute_exists" if negated else "attribute_not_exists", (operand,))
        test = Call("attribute_type", (operand, Value({"S": _TYPES[token.text]})))
        return Not(test) if negated else test

    def _in(self, operand: Operand | Condition) -> Condition:
        tokens = self.tokens
        closing = _LISTS.get(tokens.next.text) if tokens.next.kind == "symbol" else None
        if closing is None:
            raise (
                self.unexpected(tokens.next)
                if not self.at_value()
                else malformed_statement(texts.UNEXPECTED_TERM)
            )
        tokens.take()
        if tokens.at(closing):
            raise malformed_statement(texts.EMPTY_GROUP)
        candidates = [self._right()]
        while tokens.symbol(","):
            candidates.append(self._right())
        tokens.expect(closing)
        if len(candidates) > IN_OPERANDS:
            raise validation(texts.too_many_operands(len(candidates)))
        if _is_condition(operand):
            equalities = tuple(self._equality(operand, candidate) for candidate in candidates)
            return Or(equalities) if len(equalities) > 1 else equalities[0]
        return In(operand, tuple(candidates))  # type: ignore[arg-type]

    def _between(self, operand: Operand | Condition) -> Between:
        low = self._right()
        if not self.tokens.keyword("AND"):
            raise malformed_statement("Expected AND")
        if self.tokens.next.kind == "end":
            raise malformed_statement("Expected expression after AND")
        return Between(operand, low, self._right())  # type: ignore[arg-type]

    def _join(self, node: Condition) -> Condition | None:
        """Add a condition to the open ones; returns the whole condition at its end, otherwise None."""
        junctions, tokens = self._open, self.tokens
        while True:
            node = junctions.negated(node)
            if tokens.keyword("AND"):
                self._add("AND", node)
                return None
            node = junctions.closed("AND", node)
            if tokens.keyword("OR"):
                self._add("OR", node)
                return None
            node = junctions.closed("OR", node)
            if not junctions:
                return node
            tokens.expect(")")
            junctions.close_group()
            node = self._compared(node)

    def _compared(self, group: Condition) -> Condition:
        """A condition in parentheses, or its comparison with what follows."""
        token = self.tokens.next
        if token.text in _COMPARATORS or token.text == "IN":
            leaf = self._leaf(group)
            return group if leaf is None else leaf
        return group

    def _add(self, keyword: str, node: Condition) -> None:
        self.operators += 1
        self._open.add(keyword, node)


def _too_many_operators() -> Exception:
    return validation("The expression contains too many operators")
