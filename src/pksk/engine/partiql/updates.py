"""Reads the changes of an UPDATE: SET and REMOVE, as often as they stand there."""

from __future__ import annotations

from typing import Final

from pksk.engine.faults import validation
from pksk.engine.texts import partiql as texts
from pksk.errors import ExpressionError
from pksk.expressions import (
    Action,
    Add,
    Arithmetic,
    Call,
    Operand,
    Path,
    Remove,
    Set,
    Update,
    Value,
    ValueRef,
)
from pksk.expressions import Delete as DeleteMembers
from pksk.expressions.check_update import check_update
from pksk.expressions.tree import SetValue

from .operands import ARITHMETIC, OperandReader
from .tokens import malformed

__all__ = ["UpdateReader"]

_SET_FUNCTIONS: Final[dict[str, type[Add] | type[DeleteMembers]]] = {
    "set_add": Add,
    "set_delete": DeleteMembers,
}
_SIGNS: Final = frozenset("+-")


class UpdateReader(OperandReader):
    """Reads the actions of one update."""

    __slots__ = ()

    def changes(self) -> Update:
        """The clauses that come next, at least one."""
        tokens = self.tokens
        actions: list[Action] = []
        while True:
            if tokens.keyword("SET"):
                actions.append(self._assignment())
                while tokens.symbol(","):
                    actions.append(self._assignment())
            elif tokens.keyword("REMOVE"):
                actions.append(Remove(self.path()))
            else:
                break
        if not actions:
            raise malformed(texts.EXPECTED_OPERATION)
        update = Update(tuple(actions))
        try:
            check_update(update, values=False)
        except ExpressionError as error:
            raise validation(error.problem) from None
        return update

    def _assignment(self) -> Action:
        path = self.path()
        if not self.tokens.symbol("="):
            raise malformed(texts.EXPECTED_EQUALS)
        name = self._called()
        return self._set_function(name, path) if name in _SET_FUNCTIONS else Set(path, self._value())

    def _value(self) -> SetValue:
        """An operand, or one sum of two; any of them in parentheses."""
        tokens = self.tokens
        depth = 0
        while tokens.symbol("("):
            depth += 1
        value: SetValue = self._operand()
        while True:
            sign = tokens.next
            if sign.kind == "symbol" and sign.text in _SIGNS and not isinstance(value, Arithmetic):
                tokens.take()
                value = Arithmetic(sign.text, value, self.grouped(self._operand))
            elif depth:
                tokens.expect(")")
                depth -= 1
            elif sign.kind == "symbol" and sign.text in ARITHMETIC:
                raise tokens.located(texts.UNSUPPORTED_OPERATOR, sign)
            else:
                return value

    def _called(self) -> str:
        """The name of the function that comes next, or nothing."""
        token = self.tokens.next
        return token.text.lower() if token.kind == "word" and self.calls() else ""

    def _operand(self) -> Operand:
        name = self._called()
        if name == "list_append":
            return Call(name, self.arguments(name, 2))
        if name:
            raise self.tokens.located(texts.unsupported_function(self.tokens.next.text), self.tokens.next)
        return self.operand()

    def _set_function(self, name: str, path: Path) -> Action:
        token = self.tokens.next
        first, members = self.arguments(name, 2)
        if first != path:
            raise self.tokens.located(texts.unequal_argument(name), token)
        if not isinstance(members, Value | ValueRef):
            raise self.tokens.located(texts.UNEXPECTED_VALUE, token)
        return _SET_FUNCTIONS[name](path, members)
