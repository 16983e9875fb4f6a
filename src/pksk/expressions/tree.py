"""The syntax tree of DynamoDB's expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any, ClassVar, Final, NoReturn, TypeAlias, TypeVar

from pksk.dataclass import dataclass
from pksk.errors import ExpressionMisuse


class _Cached:
    """A node that is used for many items, and caches its compiled form."""

    __slots__ = ("prepared",)
    prepared: Any


class Condition(_Cached):
    """A condition on an item; combine with ``&`` and ``|``, negate with ``~``.

    Example:
        >>> Compare("=", Path(("a",)), Path(("b",))) & Not(Call("attribute_exists", (Path(("c",)),)))
        And(conditions=(Compare(operator='=', left=Path(...)
    """

    __slots__ = ()

    def __and__(self, other: Condition) -> And:
        return And(_joined(And, self, other))

    def __or__(self, other: Condition) -> Or:
        return Or(_joined(Or, self, other))

    def __invert__(self) -> Not:
        return Not(self)

    def __bool__(self) -> NoReturn:
        raise ExpressionMisuse(
            "expression-truth",
            "A condition on stored items was used as a Python truth value.",
            expected="DynamoDB evaluates it later; 'and', 'or', 'not', 'in', 'if' and 'a < b < c' evaluate it now.",
            fix="write (x) & (y), (x) | (y), ~(x), F.n.between(low, high) or F.status.is_in(a, b).",
        )

    def __iter__(self) -> NoReturn:
        raise ExpressionMisuse(
            "expression-iteration",
            "A condition cannot be iterated over.",
            fix="write F.tags.contains(x) for membership, and F.status.is_in(a, b) for one of several.",
        )

    def __contains__(self, _item: object) -> NoReturn:
        self.__iter__()


_Junction = TypeVar("_Junction", "And", "Or")


def _joined(kind: type[_Junction], left: Condition, right: Condition) -> tuple[Condition, ...]:
    """Both sides as one run: ``a & b & c`` is an And of three."""
    if not isinstance(right, Condition):
        raise ExpressionMisuse(
            "expression-not-a-condition",
            f"{right!r} is combined with a condition, but is not a condition.",
            expected="Both sides of & and | are conditions; & binds more tightly than == and <.",
            fix="put each comparison in parentheses: (F.a == 1) & (F.b > 2).",
        )
    first = left.conditions if isinstance(left, kind) else (left,)
    return first + (right.conditions if isinstance(right, kind) else (right,))


@dataclass(frozen=True, slots=True)
class NameRef:
    """A name placeholder that is not resolved yet: ``#n``."""

    placeholder: str


@dataclass(frozen=True, slots=True)
class ValueRef:
    """A value placeholder that is not resolved yet: ``:v``."""

    placeholder: str


Element: TypeAlias = str | int | NameRef


@dataclass(frozen=True, slots=True)
class Path:
    """A document path: an attribute's name, then names and list indexes inside it.

    Example:
        >>> Path(("lines", 0, "sku"))
        Path(elements=('lines', 0, 'sku'))
    """

    elements: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """A value in DynamoDB's JSON.

    Example:
        >>> Value({"N": "5"}).kind
        'N'
    """

    wire: dict[str, Any]
    # The Python value that was written, for callers that know how a field stores it.
    source: Any = field(default=None, compare=False, repr=False)

    @property
    def kind(self) -> str:
        """The name of its type, such as S or N."""
        return next(iter(self.wire))

    def __hash__(self) -> int:
        ((kind, inner),) = self.wire.items()
        return hash((kind, inner if isinstance(inner, str | bool) else len(inner)))


@dataclass(frozen=True, slots=True)
class Call(Condition):
    """A function of operands: a condition, or, as ``size`` and in an update, an operand."""

    name: str
    operands: tuple[Operand, ...]


Operand: TypeAlias = Path | Value | ValueRef | Call


@dataclass(frozen=True, slots=True)
class Compare(Condition):
    """Two operands compared with ``=  <>  <  <=  >  >=``."""

    operator: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Between(Condition):
    """An operand from ``low`` to ``high``, both included."""

    operand: Operand
    low: Operand
    high: Operand


@dataclass(frozen=True, slots=True)
class In(Condition):
    """An operand equal to one of several."""

    operand: Operand
    candidates: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class And(Condition):
    """All of the conditions."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or(Condition):
    """At least one of the conditions."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not(Condition):
    """The opposite of the condition."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """The sum or the difference of two operands in SET."""

    operator: str
    left: Operand
    right: Operand


SetValue: TypeAlias = Operand | Arithmetic


@dataclass(frozen=True, slots=True)
class Set:
    """``SET path = value``."""

    section: ClassVar[str] = "SET"
    path: Path
    value: SetValue


@dataclass(frozen=True, slots=True)
class Remove:
    """``REMOVE path``."""

    section: ClassVar[str] = "REMOVE"
    path: Path


@dataclass(frozen=True, slots=True)
class Add:
    """``ADD path value``: to a number, or members to a set."""

    section: ClassVar[str] = "ADD"
    path: Path
    value: Value | ValueRef


@dataclass(frozen=True, slots=True)
class Delete:
    """``DELETE path value``: members from a set."""

    section: ClassVar[str] = "DELETE"
    path: Path
    value: Value | ValueRef


Action: TypeAlias = Set | Remove | Add | Delete


@dataclass(frozen=True, slots=True)
class Update:
    """The actions of an update, grouped by section, in the order of the first action of each.

    Example:
        >>> a, b, c = (Path((name,)) for name in "abc")
        >>> [action.section for action in Update((Remove(a), Set(b, a), Remove(c))).actions]
        ['REMOVE', 'REMOVE', 'SET']
    """

    actions: tuple[Action, ...]

    def __post_init__(self) -> None:
        sections = dict.fromkeys(action.section for action in self.actions)
        if len(sections) > 1:
            grouped = (a for section in sections for a in self.actions if a.section == section)
            object.__setattr__(self, "actions", tuple(grouped))


@dataclass(frozen=True, slots=True)
class Projection(_Cached):
    """The document paths that a read returns."""

    paths: tuple[Path, ...]


Expression: TypeAlias = Condition | Update | Projection

_Leaf: TypeAlias = Compare | Between | In | Call
_JUNCTIONS: Final = (And, Or)


def leaves(condition: Condition) -> Iterator[_Leaf]:
    """The comparisons and functions in a condition, in written order; without recursion, so that any depth works."""
    pending: list[Any] = [condition]
    while pending:
        node = pending.pop()
        if isinstance(node, _JUNCTIONS):
            pending.extend(reversed(node.conditions))
        elif isinstance(node, Not):
            pending.append(node.condition)
        else:
            yield node


_Result = TypeVar("_Result")


def fold(
    condition: Condition,
    leaf: Callable[[Any], _Result],
    joint: Callable[[Any, list[_Result]], _Result],
) -> _Result:
    """Compute a result for a condition from those of its leaves; without recursion."""
    if not isinstance(condition, And | Or | Not):
        return leaf(condition)
    open_ones: list[tuple[Condition, Iterator[Condition], list[_Result]]] = []
    node: Condition | None = condition
    while True:
        if isinstance(node, And | Or | Not):
            inner = (node.condition,) if isinstance(node, Not) else node.conditions
            open_ones.append((node, iter(inner), []))
        elif node is not None:
            open_ones[-1][2].append(leaf(node))
        node = next(open_ones[-1][1], None)
        if node is None:
            whole, _, results = open_ones.pop()
            result = joint(whole, results)
            if not open_ones:
                return result
            open_ones[-1][2].append(result)
