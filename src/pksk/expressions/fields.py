"""`F`: conditions and updates written as Python expressions on the fields of an item."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from pksk.errors import ExpressionMisuse
from pksk.values.value_errors import list_element_path, map_member_path

from .check import check_leaf
from .check_update import check_update
from .literals import (
    HasOperand,
    attribute_name,
    not_a_name_error,
    operand_of,
    path_element,
    set_value_of,
    value_of,
)
from .tree import (
    Action,
    Add,
    Arithmetic,
    Between,
    Call,
    Compare,
    Delete,
    In,
    Operand,
    Path,
    Projection,
    Remove,
    Set,
    Update,
)

_PARAMETER: Final = "ConditionExpression"


def _check(leaf: Any) -> Any:
    """The condition; raises an error if DynamoDB would reject it."""
    check_leaf(leaf, _PARAMETER)
    return leaf


class _ComparableOperand(HasOperand):
    """An expression that can be compared: a field or its size."""

    __slots__ = ()

    def __hash__(self) -> int:
        return object.__hash__(self)

    def _compare(self, operator: str, other: object) -> Compare:
        leaf: Compare = _check(Compare(operator, self._operand(), operand_of(other, self)))
        return leaf

    def __eq__(self, other: object) -> Compare:  # type: ignore[override]
        return self._compare("=", other)

    def __ne__(self, other: object) -> Compare:  # type: ignore[override]
        return self._compare("<>", other)

    def __lt__(self, other: object) -> Compare:
        return self._compare("<", other)

    def __le__(self, other: object) -> Compare:
        return self._compare("<=", other)

    def __gt__(self, other: object) -> Compare:
        return self._compare(">", other)

    def __ge__(self, other: object) -> Compare:
        return self._compare(">=", other)

    def between(self, low: object, high: object) -> Between:
        """From ``low`` to ``high``, both included.

        Example:
            >>> F.n.between(1, 5)
            Between(operand=Path(elements=('n',)), low=Value(wire={'N': '1'}), high=Value(wire={'N': '5'}))
        """
        leaf: Between = _check(Between(self._operand(), operand_of(low, self), operand_of(high, self)))
        return leaf

    def is_in(self, *candidates: object) -> In:
        """Equal to one of these values (at most 100).

        Example:
            >>> F.status.is_in("open", "paid").candidates
            (Value(wire={'S': 'open'}), Value(wire={'S': 'paid'}))
        """
        if not candidates:
            raise ExpressionMisuse(
                "expression-no-candidates",
                f"{self!r}.is_in() has no values to compare with.",
                expected="DynamoDB's IN takes 1 to 100 operands.",
                fix="pass the values one by one, as in is_in(*values), and skip the request if there are none.",
            )
        operands = tuple(operand_of(candidate, self) for candidate in candidates)
        leaf: In = _check(In(self._operand(), operands))
        return leaf

    def __bool__(self) -> NoReturn:
        raise ExpressionMisuse(
            "expression-truth",
            f"{self!r} is a field of stored items; by itself it is neither true nor false.",
            fix=f"compare it, as in {self!r} == True, or use {self!r}.exists().",
        )

    def __iter__(self) -> NoReturn:
        raise ExpressionMisuse(
            "expression-iteration",
            f"{self!r} is a field of stored items; it cannot be iterated over.",
            fix=f"write {self!r}.contains(x) for membership, and {self!r}[0] for one element.",
        )

    def __contains__(self, _item: object) -> NoReturn:
        self.__iter__()


class _AddableOperand(HasOperand):
    """An operand of + and - in SET: a field, or a field with a default."""

    __slots__ = ()

    def __add__(self, other: object) -> Arithmetic:
        return Arithmetic("+", self._operand(), operand_of(other, self))

    def __radd__(self, other: object) -> Arithmetic:
        return Arithmetic("+", operand_of(other, self), self._operand())

    def __sub__(self, other: object) -> Arithmetic:
        return Arithmetic("-", self._operand(), operand_of(other, self))

    def __rsub__(self, other: object) -> Arithmetic:
        return Arithmetic("-", operand_of(other, self), self._operand())


class FieldOrDefault(_AddableOperand):
    """A field's value, or a default if the field is missing; made by ``F.x.if_not_exists(value)``.

    Example:
        >>> F.n.if_not_exists(0)
        F.n.if_not_exists(Value(wire={'N': '0'}))
    """

    __slots__ = ("_default", "_field")

    def __init__(self, field: Field, default: Operand) -> None:
        self._field = field
        self._default = default

    def _operand(self) -> Call:
        return Call("if_not_exists", (self._field.path, self._default))

    def __str__(self) -> str:
        return str(self._field)

    def __repr__(self) -> str:
        return f"{self._field!r}.if_not_exists({self._default!r})"


class FieldSize(_ComparableOperand):
    """The size of a field: characters, bytes or members; made by ``F.x.size()``.

    Example:
        >>> (F.tags.size() > 3).left
        Call(name='size', operands=(Path(elements=('tags',)),))
    """

    __slots__ = ("_field",)

    def __init__(self, field: Field) -> None:
        self._field = field

    def _operand(self) -> Call:
        return Call("size", (self._field._operand(),))

    def __str__(self) -> str:
        return str(self._field)

    def __repr__(self) -> str:
        return f"{self._field!r}.size()"


class Field(_ComparableOperand, _AddableOperand):
    """A field of an item, or a path inside one; made from ``F``.

    Example:
        >>> F.lines[0].sku, F["size"], F.address["zip code"]
        (F.lines[0].sku, F['size'], F.address['zip code'])
    """

    __slots__ = ("_path",)
    _path: Path

    def __init__(self, path: Path) -> None:
        object.__setattr__(self, "_path", path)

    @property
    def path(self) -> Path:
        """The document path; a field of that name is ``F["path"]``."""
        return self._path

    def _operand(self) -> Path:
        return self._path

    def __getattr__(self, name: str) -> Field:
        # The name first: `copy` reads attributes before the path is set.
        attribute = attribute_name(name)
        return Field(Path((*self._path.elements, attribute)))

    def __getitem__(self, key: str | int) -> Field:
        return Field(Path((*self._path.elements, path_element(key))))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise ExpressionMisuse(
            "expression-assignment",
            f"{self!r}.{name} cannot be assigned to; F only names fields.",
            fix=f"write {self!r}.{name}.set(value) inside an update.",
        )

    def __reduce__(self) -> tuple[object, ...]:
        return Field, (self._path,)

    def __hash__(self) -> int:
        return hash(self._path)

    def __str__(self) -> str:
        text = ""
        for element in self._path.elements:
            text = (
                list_element_path(text, element)
                if isinstance(element, int)
                else map_member_path(text, str(element))
            )
        return text

    def __repr__(self) -> str:
        return "F" + "".join(map(_repr_element, self._path.elements))

    def exists(self) -> Call:
        """The field is there, whatever its value.

        Example:
            >>> F["size"].exists()
            Call(name='attribute_exists', operands=(Path(elements=('size',)),))
        """
        return Call("attribute_exists", (self._path,))

    def missing(self) -> Call:
        """The field is not there.

        Example:
            >>> F.note.missing().name
            'attribute_not_exists'
        """
        return Call("attribute_not_exists", (self._path,))

    def type(self, kind: str) -> Call:
        """The field is of this type of DynamoDB's: S, N, B, BOOL, NULL, L, M, SS, NS or BS.

        Example:
            >>> F.x.type("S").name
            'attribute_type'
        """
        return self._call("attribute_type", kind)

    def begins(self, text: object) -> Call:
        """The field's text or bytes begin with these.

        Example:
            >>> F.name.begins("Van").operands[1]
            Value(wire={'S': 'Van'})
        """
        return self._call("begins_with", text)

    def contains(self, part: object) -> Call:
        """The field's text has this part, or its set or list has this member.

        Example:
            >>> F.tags.contains("x").name
            'contains'
        """
        return self._call("contains", part)

    def size(self) -> FieldSize:
        """The number of characters, bytes or members, to be compared.

        Example:
            >>> (F.name.size() <= 40).operator
            '<='
        """
        return FieldSize(self)

    def _call(self, name: str, value: object) -> Call:
        leaf: Call = _check(Call(name, (self._path, operand_of(value, self))))
        return leaf

    def if_not_exists(self, value: object) -> FieldOrDefault:
        """The field's value, or this one if the field is missing; for ``set``.

        Example:
            >>> from pksk.expressions import describe, update
            >>> describe(update(F.n.set(F.n.if_not_exists(0) + 1), F.first.set(F.first.if_not_exists("now"))))
            "SET n = if_not_exists(n, 0) + 1, first = if_not_exists(first, 'now')"
        """
        return FieldOrDefault(self, operand_of(value, self))

    def set(self, value: object) -> Set:
        """Make this the value: a Python value, another field, a sum, or ``if_not_exists``.

        Example:
            >>> F.total.set(F.price + 5).value
            Arithmetic(operator='+', left=Path(elements=('price',)), right=Value(wire={'N': '5'}))
        """
        return Set(self._path, set_value_of(value, self))

    def increment(self, by: object = 1, *, start: object = None) -> Set:
        """Add to the stored number; if it is missing, to ``start``, if passed.

        Example:
            >>> from pksk.expressions import describe, update
            >>> describe(update(F.views.increment(), F.score.increment(5, start=0)))
            'SET views = views + 1, score = if_not_exists(score, 0) + 5'
        """
        old: Operand = self._path if start is None else self.if_not_exists(start)._operand()
        return Set(self._path, Arithmetic("+", old, operand_of(by, self)))

    def append(self, *values: object) -> Set:
        """Put these at the end of the list, which is made if it is not there.

        Example:
            >>> from pksk.expressions import describe, update
            >>> describe(update(F.log.append("a", "b")))
            "SET log = list_append(if_not_exists(log, []), ['a', 'b'])"
        """
        return Set(
            self._path, Call("list_append", (self.if_not_exists([])._operand(), operand_of(values, self)))
        )

    def prepend(self, *values: object) -> Set:
        """Put these at the start of the list, which is made if it is not there.

        Example:
            >>> F.log.prepend("a").value.operands[0]
            Value(wire={'L': [{'S': 'a'}]})
        """
        return Set(
            self._path, Call("list_append", (operand_of(values, self), self.if_not_exists([])._operand()))
        )

    def add(self, value: object) -> Add:
        """Add to the number, or members to the set, which is made if it is not there.

        Example:
            >>> F.tags.add({"x"})
            Add(path=Path(elements=('tags',)), value=Value(wire={'SS': ['x']}))
        """
        return Add(self._path, value_of(value, self))

    def delete(self, members: object) -> Delete:
        """Remove members from the set; an empty set is removed.

        Example:
            >>> F.tags.delete({"x"}).section
            'DELETE'
        """
        return Delete(self._path, value_of(members, self))

    def discard(self, members: object) -> Delete:
        """The same as ``delete``, under the name that updates of entities have for it.

        Example:
            >>> F.tags.discard({"x"}) == F.tags.delete({"x"})
            True
        """
        return self.delete(members)

    def remove(self) -> Remove:
        """Remove the field, or the element of a list.

        Example:
            >>> F.lines[0].remove()
            Remove(path=Path(elements=('lines', 0)))
        """
        return Remove(self._path)


class Fields:
    """The fields of an item: ``F.total``, or ``F["size"]`` for the name of a method.

    Example:
        >>> (F.total > 10) & F.tags.contains("x") & (F["size"] == 3)
        And(conditions=(Compare(operator='>', left=Path(elements=('total',)), ...
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Field:
        return Field(Path((attribute_name(name),)))

    def __getitem__(self, name: str) -> Field:
        if not isinstance(name, str):
            raise not_a_name_error(name)
        return Field(Path((path_element(name),)))

    def __iter__(self) -> NoReturn:
        raise ExpressionMisuse(
            "expression-iteration", "F has no list of fields.", fix="name them: F.total, F['size']."
        )

    def __contains__(self, _item: object) -> NoReturn:
        self.__iter__()

    def __repr__(self) -> str:
        return "F"


F: Final = Fields()


def update(*actions: Action) -> Update:
    """An update with these actions; raises an error if DynamoDB would reject it.

    Example:
        >>> from pksk.expressions import render
        >>> render(update(F.total.set(5), F.note.remove(), F.paid.set(True))).text
        'SET #n0 = :v0, paid = :v1 REMOVE note'
    """
    made = Update(actions)
    check_update(made, names=False, values=False)
    return made


def projection(*fields: Field) -> Projection:
    """A projection of these fields.

    Example:
        >>> projection(F.id, F.lines[0].sku).paths
        (Path(elements=('id',)), Path(elements=('lines', 0, 'sku')))
    """
    return Projection(tuple(field.path for field in fields))


def _repr_element(element: object) -> str:
    known = isinstance(element, str) and element.isidentifier() and not element.startswith("_")
    return f".{element}" if known and not hasattr(Field, str(element)) else f"[{element!r}]"
