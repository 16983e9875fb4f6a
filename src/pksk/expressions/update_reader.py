"""Reads updates: SET, REMOVE, ADD and DELETE with their actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .operands import UPDATE_FUNCTIONS, OperandReader
from .texts import Parameter, refusal
from .tree import Action, Add, Arithmetic, Call, Delete, Operand, Remove, Set, SetValue, Update

__all__ = ["UpdateReader"]

_SIGNS: Final = frozenset("+-")


class UpdateReader(OperandReader):
    """Reads one update; sections may come in any order, each once."""

    __slots__ = ("_twice",)

    def __init__(
        self,
        text: str,
        parameter: Parameter,
        names: Mapping[str, str] | None,
        values: Mapping[str, Mapping[str, Any]] | None,
    ) -> None:
        super().__init__(text, parameter, names, values)
        self._functions, self._nestable = UPDATE_FUNCTIONS, "if_not_exists"
        self._twice = ""

    def update(self) -> Update:
        """The whole expression as an update; all but its paths and its operands' types is checked."""
        actions: list[Action] = []
        seen: set[str] = set()
        tokens = self.tokens
        while tokens.peek() or not seen:
            section = tokens.keyword()
            if section not in _SECTIONS:
                raise tokens.syntax_error()
            if section in seen:
                self._twice = self._twice or section
            seen.add(section)
            tokens.position += 1
            self._section(_SECTIONS[section], actions)
        self.finish()
        if self._twice:
            raise refusal("expression-section-twice", tokens.parameter, section=self._twice)
        return Update(tuple(actions))

    def _section(self, read: Callable[[UpdateReader], Action], actions: list[Action]) -> None:
        actions.append(read(self))
        while self.tokens.peek() == ",":
            self.tokens.position += 1
            actions.append(read(self))

    def set(self) -> Set:
        """``path = value``."""
        path = self.tokens.path()
        self.tokens.expect("=")
        return Set(path, self._value())

    def remove(self) -> Remove:
        """``path``."""
        return Remove(self.tokens.path())

    def add(self) -> Add:
        """``path :value``."""
        return Add(self.tokens.path(), self.tokens.value())

    def delete(self) -> Delete:
        """``path :value``."""
        return Delete(self.tokens.path(), self.tokens.value())

    def _value(self) -> SetValue:
        """An operand, or one sum of two; either in parentheses."""
        tokens = self.tokens
        depth = 0
        while tokens.peek() == "(":
            tokens.position += 1
            depth += 1
        value: SetValue = self.operand()
        while True:
            if tokens.peek() in _SIGNS and not isinstance(value, Arithmetic):
                value = self._sum(value)
            elif depth:
                tokens.expect(")")
                depth -= 1
                self.close_group()
            else:
                return value

    def _sum(self, left: Operand) -> Arithmetic:
        operator = self.tokens.take()
        self.operators += 1
        right = self.operand()
        for operand in (left, right):
            if isinstance(operand, Call) and operand.name == "list_append":
                self.misused = self.misused or operand.name
        self.grouped = False
        return Arithmetic(operator, left, right)


_SECTIONS: Final[dict[str, Callable[[UpdateReader], Action]]] = {
    "SET": UpdateReader.set,
    "REMOVE": UpdateReader.remove,
    "ADD": UpdateReader.add,
    "DELETE": UpdateReader.delete,
}
