"""Parses statements: SELECT, INSERT, UPDATE in its two forms, DELETE and EXISTS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pksk import expressions
from pksk.engine import texts
from pksk.engine.service_errors import validation
from pksk.expressions.check import check_update
from pksk.expressions.tree import SetValue

from . import tree
from .conditions import ConditionReader
from .operands import ARITHMETIC, OperandReader
from .tokens import malformed_statement

_SET_FUNCTIONS: Final[dict[str, type[expressions.Add] | type[expressions.Delete]]] = {
    "set_add": expressions.Add,
    "set_delete": expressions.Delete,
}
_SETS: Final = frozenset({"SS", "NS", "BS"})
_SIGNS: Final = frozenset("+-")


class UpdateReader(OperandReader):
    """Parses the actions of an UPDATE."""

    __slots__ = ()

    def changes(self) -> expressions.Update:
        """One or more SET and REMOVE clauses."""
        tokens = self.tokens
        actions: list[expressions.Action] = []
        while True:
            if tokens.keyword("SET"):
                actions.append(self._assignment())
                while tokens.symbol(","):
                    actions.append(self._assignment())
            elif tokens.keyword("REMOVE"):
                actions.append(expressions.Remove(self.path()))
            else:
                break
        if not actions:
            raise malformed_statement(texts.EXPECTED_OPERATION)
        update = expressions.Update(tuple(actions))
        check_update(update, values=False)
        return update

    def _assignment(self) -> expressions.Action:
        path = self.path()
        if not self.tokens.symbol("="):
            raise malformed_statement("Expected '='")
        name = self._function_name()
        return (
            self._set_function(name, path) if name in _SET_FUNCTIONS else expressions.Set(path, self._value())
        )

    def _value(self) -> SetValue:
        """An operand, or a sum of two, with or without parentheses."""
        tokens = self.tokens
        depth = 0
        while tokens.symbol("("):
            depth += 1
        value: SetValue = self._operand()
        while True:
            sign = tokens.next
            if (
                sign.kind == "symbol"
                and sign.text in _SIGNS
                and not isinstance(value, expressions.Arithmetic)
            ):
                tokens.take()
                value = expressions.Arithmetic(sign.text, value, self.grouped(self._operand))
            elif depth:
                tokens.expect(")")
                depth -= 1
            elif sign.kind == "symbol" and sign.text in ARITHMETIC:
                raise tokens.located(texts.UNSUPPORTED_OPERATOR, sign)
            else:
                return value

    def _function_name(self) -> str:
        """The name of the function that is called next, or an empty string."""
        token = self.tokens.next
        return token.text.lower() if token.kind == "word" and self.at_call() else ""

    def _operand(self) -> expressions.Operand:
        name = self._function_name()
        if name == "list_append":
            return expressions.Call(name, self.counted_arguments(name, 2))
        if name:
            raise self.unrecognized(self.tokens.next)
        return self.operand()

    def _set_function(self, name: str, path: expressions.Path) -> expressions.Action:
        token = self.tokens.take()
        first_token = self.tokens.peek_second()
        operands = self.arguments()
        if len(operands) != 2:
            raise self.tokens.located(f"{name.upper()} must have exactly two arguments", token)
        first, members = operands
        if first != path:
            raise self.tokens.located(
                f"The first argument to {name.upper()} must equal the assignment value", token
            )
        is_value = isinstance(members, expressions.ValueRef)
        if not is_value and not (isinstance(members, expressions.Value) and members.kind in _SETS):
            raise self.tokens.located(
                f"The second argument to {name.upper()} must be a value with type SET", first_token
            )
        return _SET_FUNCTIONS[name](path, members)  # type: ignore[arg-type]


_JOINS: Final = frozenset({"JOIN", "INNER", "LEFT", "RIGHT", "OUTER", "CROSS", "FULL", "NATURAL"})
# Clauses of PartiQL that DynamoDB does not support.
_CLAUSES: Final = frozenset({"GROUP", "HAVING", "LIMIT", "UNION", "EXCEPT", "INTERSECT", *_JOINS})
_RETURN_VALUES: Final = {"ALL": "ALL", "MODIFIED": "UPDATED"}


class StatementReader(UpdateReader, ConditionReader):
    """Parses one statement."""

    __slots__ = ()

    def statement(self) -> tree.Statement:
        """The statement, which is the whole text."""
        token = self.tokens.take()
        parse = _PARSERS.get(token.text) if token.kind == "keyword" else None
        if parse is None:
            raise malformed_statement(
                texts.UNEXPECTED_KEYWORD
                if token.text in _UNSUPPORTED_STATEMENTS
                else texts.EXPECTED_OPERATION
            )
        statement = parse(self)
        self._finish()
        if self.literal_error is not None:
            raise self.literal_error
        return statement

    def _finish(self) -> None:
        tokens = self.tokens
        if tokens.symbol(";") and tokens.next.kind != "end":
            raise malformed_statement("Unexpected token after semicolon. (Only one query is allowed.)")
        if tokens.next.kind != "end":
            raise malformed_statement(texts.AFTER_EXPRESSION)

    def select(self) -> tree.SelectStatement:
        """``columns FROM table ...``, after SELECT."""
        tokens = self.tokens
        if tokens.next.kind == "keyword" and tokens.next.text in {"DISTINCT", "ALL", "VALUE"}:
            raise tokens.located(texts.unsupported_clause(tokens.next.text), tokens.next)
        columns = self._columns()
        if not tokens.keyword("FROM"):
            raise malformed_statement("Expected FROM after SELECT list")
        table, index = self._source()
        self._reject_clauses()
        where = self.where()
        self._reject_clauses()
        return tree.SelectStatement(table, index, columns, where, self._orders())

    def _columns(self) -> tuple[tree.Column, ...] | None:
        tokens = self.tokens
        if tokens.symbol("*"):
            if tokens.at(","):
                raise malformed_statement(texts.STAR_AND_OTHERS)
            return None
        columns = [self._column()]
        while tokens.symbol(","):
            if tokens.at("*"):
                raise malformed_statement(texts.STAR_AND_OTHERS)
            columns.append(self._column())
        return tuple(columns)

    def _column(self) -> tree.Column:
        tokens = self.tokens
        token = tokens.next
        if token.kind == "keyword" and token.text == "FROM":
            raise malformed_statement(texts.EXPECTED_OPERATION)
        if self.at_value() or (token.kind in {"word", "quoted", "keyword"} and self.at_call()):
            raise tokens.located(texts.UNEXPECTED_PATH_COMPONENT, token)
        if token.kind not in {"word", "quoted"}:
            raise self.unexpected(token)
        path = self.path()
        self._reject_alias()
        elements = path.elements
        last = max(position for position, element in enumerate(elements) if isinstance(element, str))
        indexes = "".join(f"[{element}]" for element in elements[last + 1 :])
        return tree.Column(f"{elements[last]}{indexes}", path)

    def _source(self) -> tuple[str, str | None]:
        tokens = self.tokens
        first = tokens.next
        if first.kind not in {"word", "quoted"}:
            if first.kind == "end":
                raise malformed_statement(texts.UNEXPECTED_TERM)
            raise tokens.located(texts.UNEXPECTED_SOURCE, first)
        table = tokens.take().text
        index = None
        if tokens.symbol("."):
            if tokens.next.kind not in {"word", "quoted"}:
                raise malformed_statement(texts.INVALID_DOT)
            index = tokens.take().text
        if tokens.at("."):
            raise validation("A path may contain at most 2 components in the FROM clause")
        if "" in {table, index}:
            raise validation("Path component cannot be an empty string")
        if tokens.next.kind == "symbol" and tokens.next.text not in {";", ")"}:
            raise tokens.located(texts.UNEXPECTED_SOURCE, first)
        self._reject_alias()
        return table, index

    def _reject_alias(self) -> None:
        token = self.tokens.next
        if token.kind in {"word", "quoted"} or (token.kind == "keyword" and token.text in {"AS", "AT", "BY"}):
            raise validation(texts.ALIASING)

    def _reject_clauses(self) -> None:
        token = self.tokens.next
        if token.kind == "keyword" and token.text in _CLAUSES:
            raise self.tokens.located(texts.unsupported_clause(token.text), token)

    def _orders(self) -> tuple[tree.OrderBy, ...]:
        if not self.tokens.keyword("ORDER"):
            return ()
        if not self.tokens.keyword("BY"):
            raise malformed_statement("Expected BY")
        orders = [self._order()]
        while self.tokens.symbol(","):
            orders.append(self._order())
        self._reject_clauses()
        return tuple(orders)

    def _order(self) -> tree.OrderBy:
        tokens = self.tokens
        if tokens.next.kind not in {"word", "quoted"}:
            raise self.unexpected(tokens.next)
        name = tokens.take().text
        if tokens.at(".") or tokens.at("["):
            raise tokens.located(texts.UNEXPECTED_PATH_COMPONENT, tokens.next)
        descending = tokens.keyword("DESC")
        if not descending:
            tokens.keyword("ASC")
        return tree.OrderBy(name, descending)

    def insert(self) -> tree.InsertStatement:
        """``INTO table VALUE item``, after INSERT."""
        tokens = self.tokens
        if not tokens.keyword("INTO"):
            raise malformed_statement(texts.UNEXPECTED_KEYWORD)
        table = self._table(can_have_alias=False)
        if tokens.next.kind in {"word", "quoted"}:
            raise malformed_statement(texts.AFTER_EXPRESSION)
        if not tokens.keyword("VALUE"):
            raise self._not_one_item()
        return tree.InsertStatement(table, self.item())

    def _not_one_item(self) -> Exception:
        """The error for anything but one item, such as PartiQL's lists of values."""
        tokens = self.tokens
        if tokens.keyword("VALUES"):
            return validation(texts.INSERT_SEVERAL)
        if tokens.symbol("("):
            return (
                self.unexpected(tokens.next)
                if tokens.next.kind == "keyword"
                else malformed_statement(texts.AFTER_EXPRESSION)
            )
        if self.at_value():
            return validation(texts.INSERT_SEVERAL)
        return self.unexpected(tokens.next)

    def update(self) -> tree.UpdateStatement:
        """``table SET ... WHERE ...``, after UPDATE."""
        table = self._table()
        changes = self.changes()
        where = self.where()
        return tree.UpdateStatement(table, changes, where, self._returning())

    def from_first(self) -> tree.UpdateStatement:
        """``table WHERE ... SET ...``, after FROM: another form of UPDATE."""
        table = self._table()
        where = self.where()
        changes = self.changes()
        return tree.UpdateStatement(table, changes, where, self._returning())

    def delete(self) -> tree.DeleteStatement:
        """``FROM table WHERE ...``, after DELETE."""
        if not self.tokens.keyword("FROM"):
            raise malformed_statement("Expected FROM after DELETE")
        table = self._table()
        where = self.where()
        returning = self._returning()
        if returning not in {None, "ALL_OLD"}:
            scope, _, when = str(returning).partition("_")
            raise validation(
                f"Invalid returning clause: RETURNING {scope.replace('UPDATED', 'MODIFIED')} {when} *. "
                "Only RETURNING ALL OLD * is allowed in DELETE statements."
            )
        return tree.DeleteStatement(table, where, returning)

    def exists(self) -> tree.ExistsStatement:
        """``(SELECT ...)``, after EXISTS."""
        self.tokens.expect("(")
        if not self.tokens.keyword("SELECT"):
            raise validation(texts.EXISTS_SELECT)
        select = self.select()
        self.tokens.expect(")")
        if select.index is not None:
            raise validation("Operations on indices are not supported in transactions")
        if select.orders:
            raise validation(texts.EXISTS_SELECT)
        return tree.ExistsStatement(select.table, select.where)

    def _table(self, *, can_have_alias: bool = True) -> str:
        name = self.name()
        token = self.tokens.next
        if self.tokens.at(".") or self.tokens.at("["):
            raise self.tokens.located(texts.UNEXPECTED_PATH_COMPONENT, token)
        if can_have_alias and (
            token.kind in {"word", "quoted"} or (token.kind == "keyword" and token.text == "AS")
        ):
            raise validation(texts.ALIASING)
        return name

    def where(self) -> expressions.Condition | None:
        """``WHERE condition``, if it comes next."""
        return self.condition() if self.tokens.keyword("WHERE") else None

    def _returning(self) -> str | None:
        tokens = self.tokens
        if not tokens.keyword("RETURNING"):
            return None
        scope, when = tokens.take().text.upper(), tokens.take().text.upper()
        if scope not in _RETURN_VALUES or when not in {"OLD", "NEW"} or not tokens.symbol("*"):
            raise malformed_statement("Expected ALL or MODIFIED, then OLD or NEW, then * after RETURNING")
        return f"{_RETURN_VALUES[scope]}_{when}"


_PARSERS: Final[dict[str, Callable[[StatementReader], tree.Statement]]] = {
    "SELECT": StatementReader.select,
    "INSERT": StatementReader.insert,
    "UPDATE": StatementReader.update,
    "DELETE": StatementReader.delete,
    "FROM": StatementReader.from_first,
    "EXISTS": StatementReader.exists,
}
_UNSUPPORTED_STATEMENTS: Final = frozenset(
    {"CREATE", "DROP", "ALTER", "GRANT", "WITH", "BEGIN", "COMMIT", "EXECUTE", "DESCRIBE"}
)
