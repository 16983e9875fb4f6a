"""`F`: conditions and updates written as Python expressions on the fields of an item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from pksk.errors import BoundsError, ExpressionError, ExpressionMisuse, did_you_mean, quote
from pksk.values.value_errors import list_element_path, map_member_path

from . import literals, tree
from .check import check_leaf, check_update, is_above
from .literals import HasOperand

_PARAMETER: Final = "ConditionExpression"
# Methods of text in Python and of conditions in boto3, and ours.
_METHODS_ELSEWHERE: Final = {"startswith": "begins", "not_exists": "missing"}


def _check(leaf: Any) -> Any:
    """The condition; raises an error if DynamoDB would reject it."""
    try:
        check_leaf(leaf, _PARAMETER)
    except ExpressionError as error:
        from .render import describe  # needed for an error only

        error.expected = f"The condition is: {describe(leaf)}."
        raise
    return leaf


def _as_value(value: object) -> object:
    return value.operand if isinstance(value, literals.Unchecked) else value


class _ComparableOperand(HasOperand):
    """An expression that can be compared: a field or its size."""

    __slots__ = ()

    def __hash__(self) -> int:
        return object.__hash__(self)

    def _compare(self, operator: str, other: object) -> tree.Compare:
        convert = literals.operand_of if operator in ("=", "<>") else literals.ordered_operand_of
        leaf: tree.Compare = _check(tree.Compare(operator, self._operand(), convert(other, self)))
        return leaf

    def __eq__(self, other: object) -> tree.Compare:  # type: ignore[override]
        return self._compare("=", other)

    def __ne__(self, other: object) -> tree.Compare:  # type: ignore[override]
        return self._compare("<>", other)

    def __lt__(self, other: object) -> tree.Compare:
        return self._compare("<", other)

    def __le__(self, other: object) -> tree.Compare:
        return self._compare("<=", other)

    def __gt__(self, other: object) -> tree.Compare:
        return self._compare(">", other)

    def __ge__(self, other: object) -> tree.Compare:
        return self._compare(">=", other)

    def between(self, low: object, high: object) -> tree.Between:
        """From ``low`` to ``high``, both included.

        Example:
            >>> F.n.between(1, 5)
            Between(operand=Path(elements=('n',)), low=Value(wire={'N': '1'}), high=Value(wire={'N': '5'}))
        """
        first, last = (literals.ordered_operand_of(each, self) for each in (low, high))
        if is_above(first, last):
            raise BoundsError(
                "bounds-backwards",
                f"{self!r}.between({quote(_as_value(low))}, {quote(_as_value(high))}) ends before it begins.",
                fix=f"write {self!r}.between({quote(_as_value(high))}, {quote(_as_value(low))}).",
            )
        leaf: tree.Between = _check(tree.Between(self._operand(), first, last))
        return leaf

    def is_in(self, *candidates: object) -> tree.In:
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
        operands = tuple(literals.operand_of(candidate, self) for candidate in candidates)
        leaf: tree.In = _check(tree.In(self._operand(), operands))
        return leaf

    if not TYPE_CHECKING:  # a type checker finds the mistake by itself

        def __and__(self, other):
            """Reject `F.a == "x" & F.b == "y"`, where Python evaluates `"x" & F.b` first."""
            raise ExpressionMisuse(
                "expression-not-a-condition",
                f"{self!r} is combined with {quote(other)} by & or |; a field by itself is not a condition.",
                expected="Both sides of & and | are conditions; & binds more tightly than == and <.",
                fix="put each comparison in parentheses: (F.a == 1) & (F.b > 2).",
            )

        __rand__ = __or__ = __ror__ = __and__

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

    def __add__(self, other: object) -> tree.Arithmetic:
        return tree.Arithmetic("+", self._operand(), literals.operand_of(other, self))

    def __radd__(self, other: object) -> tree.Arithmetic:
        return tree.Arithmetic("+", literals.operand_of(other, self), self._operand())

    def __sub__(self, other: object) -> tree.Arithmetic:
        return tree.Arithmetic("-", self._operand(), literals.operand_of(other, self))

    def __rsub__(self, other: object) -> tree.Arithmetic:
        return tree.Arithmetic("-", literals.operand_of(other, self), self._operand())


class FieldOrDefault(_AddableOperand):
    """A field's value, or a default if the field is missing; made by ``F.x.if_not_exists(value)``."""

    __slots__ = ("_default", "_field")

    def __init__(self, field: Field, default: tree.Operand) -> None:
        self._field = field
        self._default = default

    def _operand(self) -> tree.Call:
        return tree.Call("if_not_exists", (self._field.path, self._default))

    def __str__(self) -> str:
        return str(self._field)

    def __repr__(self) -> str:
        return f"{self._field!r}.if_not_exists({self._default!r})"


class FieldSize(_ComparableOperand):
    """The size of a field: characters, bytes or members; made by ``F.x.size()``."""

    __slots__ = ("_field",)

    def __init__(self, field: Field) -> None:
        self._field = field

    def _operand(self) -> tree.Call:
        return tree.Call("size", (self._field._operand(),))

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
    _path: tree.Path

    def __init__(self, path: tree.Path) -> None:
        object.__setattr__(self, "_path", path)

    @property
    def path(self) -> tree.Path:
        """The document path; a field of that name is ``F["path"]``."""
        return self._path

    def _operand(self) -> tree.Path:
        return self._path

    def __getattr__(self, name: str) -> Field:
        # The name first: `copy` reads attributes before the path is set.
        attribute = literals.attribute_name(name)
        return Field(tree.Path((*self._path.elements, attribute)))

    if not TYPE_CHECKING:  # a type checker finds the mistake by itself

        def __call__(self, *_arguments, **_options):
            """Reject `F.name.startswith("Ann")`: every name that is not a method is a member of a map."""
            name = str(self._path.elements[-1])
            methods = [each for each in dir(Field) if not each.startswith("_") and each != "path"]
            near = _METHODS_ELSEWHERE.get(name) or did_you_mean(name, methods)
            raise ExpressionMisuse(
                "expression-no-method",
                f"{self!r}(...): a field of stored items has no method {name!r}.",
                expected=f"Methods are: {', '.join(methods)}.",
                fix=f"did you mean {near!r}?"
                if near
                else "use one of them, or filter the results in Python.",
            )

    def __getitem__(self, key: str | int) -> Field:
        return Field(tree.Path((*self._path.elements, literals.path_element(key))))

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

    def exists(self) -> tree.Call:
        """The field is there, whatever its value.

        Example:
            >>> F["size"].exists()
            Call(name='attribute_exists', operands=(Path(elements=('size',)),))
        """
        return tree.Call("attribute_exists", (self._path,))

    def missing(self) -> tree.Call:
        """The field is not there.

        Example:
            >>> F.note.missing().name
            'attribute_not_exists'
        """
        return tree.Call("attribute_not_exists", (self._path,))

    def type(self, kind: str) -> tree.Call:
        """The field is of this type of DynamoDB's: S, N, B, BOOL, NULL, L, M, SS, NS or BS.

        Example:
            >>> F.x.type("S").name
            'attribute_type'
        """
        return self._call("attribute_type", kind)

    def begins(self, text: object) -> tree.Call:
        """The field's text or bytes begin with these.

        Example:
            >>> F.name.begins("Van").operands[1]
            Value(wire={'S': 'Van'})
        """
        return self._call("begins_with", text)

    def contains(self, part: object) -> tree.Call:
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

    def _call(self, name: str, value: object) -> tree.Call:
        leaf: tree.Call = _check(tree.Call(name, (self._path, literals.operand_of(value, self))))
        return leaf

    def if_not_exists(self, value: object) -> FieldOrDefault:
        """The field's value, or this one if the field is missing; for ``set``.

        Example:
            >>> from pksk.expressions import describe, update
            >>> describe(update(F.n.set(F.n.if_not_exists(0) + 1), F.first.set(F.first.if_not_exists("now"))))
            "SET n = if_not_exists(n, 0) + 1, first = if_not_exists(first, 'now')"
        """
        return FieldOrDefault(self, literals.operand_of(value, self))

    def set(self, value: object) -> tree.Set:
        """Make this the value: a Python value, another field, a sum, or ``if_not_exists``.

        Example:
            >>> F.total.set(F.price + 5).value
            Arithmetic(operator='+', left=Path(elements=('price',)), right=Value(wire={'N': '5'}))
        """
        return tree.Set(self._path, literals.set_value_of(value, self))

    def increment(self, by: object = 1, *, start: object = None) -> tree.Set:
        """Add to the stored number; if it is missing, to ``start``, if passed.

        Example:
            >>> from pksk.expressions import describe, update
            >>> describe(update(F.views.increment(), F.score.increment(5, start=0)))
            'SET views = views + 1, score = if_not_exists(score, 0) + 5'
        """
        old: tree.Operand = self._path if start is None else self.if_not_exists(start)._operand()
        return tree.Set(self._path, tree.Arithmetic("+", old, literals.operand_of(by, self)))

    def append(self, *values: object) -> tree.Set:
        """Put these at the end of the list, which is made if it is not there.

        Example:
            >>> from pksk.expressions import describe, update
            >>> describe(update(F.log.append("a", "b")))
            "SET log = list_append(if_not_exists(log, []), ['a', 'b'])"
        """
        return tree.Set(
            self._path,
            tree.Call("list_append", (self.if_not_exists([])._operand(), literals.operand_of(values, self))),
        )

    def prepend(self, *values: object) -> tree.Set:
        """Put these at the start of the list, which is made if it is not there.

        Example:
            >>> F.log.prepend("a").value.operands[0]
            Value(wire={'L': [{'S': 'a'}]})
        """
        return tree.Set(
            self._path,
            tree.Call("list_append", (literals.operand_of(values, self), self.if_not_exists([])._operand())),
        )

    def add(self, value: object) -> tree.Add:
        """Add to the number, or members to the set, which is made if it is not there.

        Example:
            >>> F.tags.add({"x"})
            Add(path=Path(elements=('tags',)), value=Value(wire={'SS': ['x']}))
        """
        return tree.Add(self._path, literals.value_of(value, self))

    def delete(self, members: object) -> tree.Delete:
        """Remove members from the set; an empty set is removed.

        Example:
            >>> F.tags.delete({"x"}).section
            'DELETE'
        """
        return tree.Delete(self._path, literals.value_of(members, self))

    def discard(self, members: object) -> tree.Delete:
        """The same as ``delete``, under the name that updates of entities have for it.

        Example:
            >>> F.tags.discard({"x"}) == F.tags.delete({"x"})
            True
        """
        return self.delete(members)

    def remove(self) -> tree.Remove:
        """Remove the field, or the element of a list.

        Example:
            >>> F.lines[0].remove()
            Remove(path=Path(elements=('lines', 0)))
        """
        return tree.Remove(self._path)


class Fields:
    """The fields of an item: ``F.total``, or ``F["size"]`` for the name of a method.

    Example:
        >>> (F.total > 10) & F.tags.contains("x") & (F["size"] == 3)
        And(conditions=(Compare(operator='>', left=Path(elements=('total',)), ...
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Field:
        return Field(tree.Path((literals.attribute_name(name),)))

    def __getitem__(self, name: str) -> Field:
        if not isinstance(name, str):
            raise literals.not_a_name_error(name)
        return Field(tree.Path((literals.path_element(name),)))

    def __iter__(self) -> NoReturn:
        raise ExpressionMisuse(
            "expression-iteration", "F has no list of fields.", fix="name them: F.total, F['size']."
        )

    def __contains__(self, _item: object) -> NoReturn:
        self.__iter__()

    def __repr__(self) -> str:
        return "F"


F: Final = Fields()


def update(*actions: tree.Action) -> tree.Update:
    """An update with these actions; raises an error if DynamoDB would reject it.

    Example:
        >>> from pksk.expressions import render
        >>> render(update(F.total.set(5), F.note.remove(), F.paid.set(True))).text
        'SET #n0 = :v0, paid = :v1 REMOVE note'
    """
    expression = tree.Update(actions)
    check_update(expression, names=False, values=False)
    return expression


def projection(*fields: Field) -> tree.Projection:
    """A projection of these fields.

    Example:
        >>> projection(F.id, F.lines[0].sku).paths
        (Path(elements=('id',)), Path(elements=('lines', 0, 'sku')))
    """
    return tree.Projection(tuple(field.path for field in fields))


def _repr_element(element: object) -> str:
    known = isinstance(element, str) and element.isidentifier() and not element.startswith("_")
    return f".{element}" if known and not hasattr(Field, str(element)) else f"[{element!r}]"
