"""Finds and replaces the placeholders of a tree that was parsed without names and values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pksk.values.boto3_form import normalize_wire

from .check import check_condition, check_path, check_paths, operands_of
from .check_update import check_update
from .texts import Parameter, expression_error
from .tree import (
    Add,
    And,
    Arithmetic,
    Between,
    Call,
    Compare,
    Condition,
    Delete,
    In,
    NameRef,
    Not,
    Path,
    Projection,
    Remove,
    Set,
    Update,
    Value,
    ValueRef,
    fold,
    leaves,
)

_Tree = TypeVar("_Tree", Condition, Update, Projection)


def resolve(
    tree: _Tree,
    names: Mapping[str, str],
    values: Mapping[str, Mapping[str, Any]],
    *,
    parameter: Parameter = "ConditionExpression",
) -> _Tree:
    """The tree with all placeholders replaced, and checked like in ``parse_*``.

    An expression can be parsed once and used with many values.

    Example:
        >>> from pksk.expressions import parse_condition
        >>> tree = parse_condition("#s = :wanted")
        >>> resolve(tree, {"#s": "status"}, {":wanted": {"S": "open"}})
        Compare(operator='=', left=Path(elements=('status',)), right=Value(wire={'S': 'open'}))
    """
    filled = _Resolver(names, values)
    if isinstance(tree, Update):
        update = Update(tuple(map(filled.action, tree.actions)))
        check_update(update)
        return update
    if isinstance(tree, Projection):
        projection = Projection(tuple(map(filled.path, tree.paths)))
        for path in projection.paths:
            check_path(path, "ProjectionExpression", names=True)
        check_paths(projection.paths, "ProjectionExpression")
        return projection  # type: ignore[return-value]  # mypy narrows the tree, not its type variable
    condition: Any = fold(tree, filled.leaf, _rebuild_junction)
    check_condition(condition, parameter)
    return condition  # type: ignore[no-any-return]


def _rebuild_junction(node: Any, inner: list[Condition]) -> Condition:
    if isinstance(node, Not):
        return Not(inner[0])
    return And(tuple(inner)) if isinstance(node, And) else type(node)(tuple(inner))


class _Resolver:
    def __init__(self, names: Mapping[str, str], values: Mapping[str, Mapping[str, Any]]) -> None:
        self._names = names
        self._values = values

    def path(self, path: Path) -> Path:
        names = self._names
        if not any(type(element) is NameRef for element in path.elements):
            return path
        return Path(
            tuple(
                names.get(element.placeholder, element) if type(element) is NameRef else element
                for element in path.elements
            )
        )

    def operand(self, operand: Any) -> Any:
        if type(operand) is Path:
            return self.path(operand)
        if type(operand) is ValueRef:
            wire = self._values.get(operand.placeholder)
            if wire is None:
                return operand
            return Value(normalize_wire(wire))
        if type(operand) is Call:
            return Call(operand.name, tuple(map(self.operand, operand.operands)))
        if type(operand) is Arithmetic:
            return Arithmetic(operand.operator, self.operand(operand.left), self.operand(operand.right))
        return operand

    def leaf(self, leaf: Any) -> Condition:
        if type(leaf) is Compare:
            return Compare(leaf.operator, self.operand(leaf.left), self.operand(leaf.right))
        if type(leaf) is Between:
            return Between(*map(self.operand, operands_of(leaf)))
        if type(leaf) is In:
            return In(self.operand(leaf.operand), tuple(map(self.operand, leaf.candidates)))
        call: Call = self.operand(leaf)
        return call

    def action(self, action: Any) -> Any:
        path = self.path(action.path)
        return Remove(path) if type(action) is Remove else type(action)(path, self.operand(action.value))


def references(tree: Condition | Update | Projection) -> tuple[set[str], set[str]]:
    """The placeholders of names and of values in a tree.

    Example:
        >>> from pksk.expressions import parse_update
        >>> references(parse_update("SET #a = :b"))
        ({'#a'}, {':b'})
    """
    names: set[str] = set()
    values: set[str] = set()
    pending = _operands(tree)
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is Path:
            for element in node.elements:
                if type(element) is NameRef:
                    names.add(element.placeholder)
        elif kind is ValueRef:
            values.add(node.placeholder)
        elif kind is Call:
            pending += node.operands
        elif kind is Arithmetic:
            pending += (node.left, node.right)
    return names, values


def _operands(tree: Condition | Update | Projection) -> list[Any]:
    pending: list[Any] = []
    if isinstance(tree, Projection):
        pending += tree.paths
    elif isinstance(tree, Update):
        for action in tree.actions:
            pending.append(action.path)
            if isinstance(action, Set | Add | Delete):
                pending.append(action.value)
    else:
        for leaf in leaves(tree):
            pending += operands_of(leaf)
    return pending


def check_unused(
    names: Iterable[str], values: Iterable[str], trees: Iterable[Condition | Update | Projection]
) -> None:
    """Raise an error for placeholders of a request that none of its expressions uses.

    Example:
        >>> from pksk.expressions import parse_condition
        >>> check_unused(["#a", "#b"], [], [parse_condition("attribute_exists(#a)")])
        Traceback (most recent call last):
        pksk.errors.ExpressionError: Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}
        ...
    """
    used = [references(tree) for tree in trees]
    spare = [name for name in names if not any(name in found for found, _ in used)]
    if spare:
        raise expression_error("expression-unused-names", names=", ".join(spare))
    spare = [value for value in values if not any(value in found for _, found in used)]
    if spare:
        raise expression_error("expression-unused-values", names=", ".join(spare))
