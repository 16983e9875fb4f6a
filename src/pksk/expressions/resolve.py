"""Finds and replaces the placeholders of a tree that was parsed without names and values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pksk.values.wire import normalize_wire

from . import tree
from .check import check_condition, check_path, check_paths, check_update, operands_of
from .texts import Parameter, expression_error

_Tree = TypeVar("_Tree", tree.Condition, tree.Update, tree.Projection)


def resolve(
    expression: _Tree,
    names: Mapping[str, str],
    values: Mapping[str, Mapping[str, Any]],
    *,
    parameter: Parameter = "ConditionExpression",
) -> _Tree:
    """The tree with all placeholders replaced, and checked like in ``parse_*``.

    An expression can be parsed once and used with many values.

    Example:
        >>> from pksk.expressions import parse_condition
        >>> expression = parse_condition("#s = :wanted")
        >>> resolve(expression, {"#s": "status"}, {":wanted": {"S": "open"}})
        Compare(operator='=', left=Path(elements=('status',)), right=Value(wire={'S': 'open'}))
    """
    filled = _Resolver(names, values)
    if isinstance(expression, tree.Update):
        update = tree.Update(tuple(map(filled.action, expression.actions)))
        check_update(update)
        return update
    if isinstance(expression, tree.Projection):
        projection = tree.Projection(tuple(map(filled.path, expression.paths)))
        for path in projection.paths:
            check_path(path, "ProjectionExpression", names=True)
        check_paths(projection.paths, "ProjectionExpression")
        return projection  # type: ignore[return-value]  # mypy narrows the expression, not its type variable
    condition: Any = tree.fold(expression, filled.leaf, _rebuild_junction)
    check_condition(condition, parameter)
    return condition  # type: ignore[no-any-return]


def _rebuild_junction(node: Any, inner: list[tree.Condition]) -> tree.Condition:
    if isinstance(node, tree.Not):
        return tree.Not(inner[0])
    return tree.And(tuple(inner)) if isinstance(node, tree.And) else type(node)(tuple(inner))


class _Resolver:
    def __init__(self, names: Mapping[str, str], values: Mapping[str, Mapping[str, Any]]) -> None:
        self._names = names
        self._values = values

    def path(self, path: tree.Path) -> tree.Path:
        names = self._names
        if not any(type(element) is tree.NameRef for element in path.elements):
            return path
        return tree.Path(
            tuple(
                names.get(element.placeholder, element) if type(element) is tree.NameRef else element
                for element in path.elements
            )
        )

    def operand(self, operand: Any) -> Any:
        if type(operand) is tree.Path:
            return self.path(operand)
        if type(operand) is tree.ValueRef:
            wire = self._values.get(operand.placeholder)
            if wire is None:
                return operand
            return tree.Value(normalize_wire(wire))
        if type(operand) is tree.Call:
            return tree.Call(operand.name, tuple(map(self.operand, operand.operands)))
        if type(operand) is tree.Arithmetic:
            return tree.Arithmetic(operand.operator, self.operand(operand.left), self.operand(operand.right))
        return operand

    def leaf(self, leaf: Any) -> tree.Condition:
        if type(leaf) is tree.Compare:
            return tree.Compare(leaf.operator, self.operand(leaf.left), self.operand(leaf.right))
        if type(leaf) is tree.Between:
            return tree.Between(*map(self.operand, operands_of(leaf)))
        if type(leaf) is tree.In:
            return tree.In(self.operand(leaf.operand), tuple(map(self.operand, leaf.candidates)))
        call: tree.Call = self.operand(leaf)
        return call

    def action(self, action: Any) -> Any:
        path = self.path(action.path)
        return (
            tree.Remove(path)
            if type(action) is tree.Remove
            else type(action)(path, self.operand(action.value))
        )


def references(expression: tree.Condition | tree.Update | tree.Projection) -> tuple[set[str], set[str]]:
    """The placeholders of names and of values in a tree.

    Example:
        >>> from pksk.expressions import parse_update
        >>> references(parse_update("SET #a = :b"))
        ({'#a'}, {':b'})
    """
    names: set[str] = set()
    values: set[str] = set()
    pending = _operands(expression)
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is tree.Path:
            for element in node.elements:
                if type(element) is tree.NameRef:
                    names.add(element.placeholder)
        elif kind is tree.ValueRef:
            values.add(node.placeholder)
        elif kind is tree.Call:
            pending += node.operands
        elif kind is tree.Arithmetic:
            pending += (node.left, node.right)
    return names, values


def _operands(expression: tree.Condition | tree.Update | tree.Projection) -> list[Any]:
    pending: list[Any] = []
    if isinstance(expression, tree.Projection):
        pending += expression.paths
    elif isinstance(expression, tree.Update):
        for action in expression.actions:
            pending.append(action.path)
            if isinstance(action, tree.Set | tree.Add | tree.Delete):
                pending.append(action.value)
    else:
        for leaf in tree.leaves(expression):
            pending += operands_of(leaf)
    return pending


def check_unused(
    names: Iterable[str],
    values: Iterable[str],
    trees: Iterable[tree.Condition | tree.Update | tree.Projection],
) -> None:
    """Raise an error for placeholders of a request that none of its expressions uses.

    Example:
        >>> from pksk.expressions import parse_condition
        >>> check_unused(["#a", "#b"], [], [parse_condition("attribute_exists(#a)")])
        Traceback (most recent call last):
        pksk.errors.ExpressionError: Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}
        ...
    """
    used = [references(expression) for expression in trees]
    spare = [name for name in names if not any(name in placeholders for placeholders, _ in used)]
    if spare:
        raise expression_error("expression-unused-names", names=", ".join(spare))
    spare = [value for value in values if not any(value in placeholders for _, placeholders in used)]
    if spare:
        raise expression_error("expression-unused-values", names=", ".join(spare))
