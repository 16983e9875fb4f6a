"""Checks operands of queries and conditions by the rules of their fields, and brings them into the model's form.

An operand outside these rules could only match items that break them, so it raises unless it is `unchecked`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pydantic import ValidationError

from pksk.errors import InvalidValue, PkskError, quote
from pksk.expressions.literals import Unchecked
from pksk.keys import Operator
from pksk.keys.parts.part import UncheckedText
from pksk.model.fields.facts import field_facts
from pksk.model.fields.text_language import Texts, texts_of
from pksk.model.markers import StoredForm
from pksk.model.markers.stored import INSTANTS, stored_marker
from pksk.model.storing import core_schema
from pksk.model.storing.attributes import Field, config_of
from pksk.model.storing.core_schema import Node
from pksk.model.storing.forms import CannotStore, Forms, Store
from pksk.model.storing.stored_value import stored_value
from pksk.values import Wire, to_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

Validate = Callable[[Any], Any]


def checked_operands(
    declaration: Declaration, operands: Mapping[str, Any], *, by_key: bool
) -> Mapping[str, Any]:
    """The operands of a query as the model holds them; raises for one that no valid item can match.

    Keys check the types of their parts, so a query by a key checks only the fields that have more rules.
    """
    ruled = declaration.derived(_ruled_fields)
    if by_key and ruled.isdisjoint(operands):
        for value in operands.values():
            if value.__class__ is Unchecked or value.__class__ is Operator:
                break
        else:
            return operands
    return {
        name: _checked_operand(declaration, name, value)
        if name in ruled or (not by_key and name in declaration.fields)
        else _plain_operand(value)
        for name, value in operands.items()
    }


def equality_operand(declaration: Declaration, name: str, value: Any) -> Any:
    """A value that a field must be equal to, such as a part of an item's key, as the model holds it."""
    if isinstance(value, Unchecked):
        return _unchecked_operand(value.operand)
    return field_rule(declaration, name).equal(f"{declaration.name}.{name}", value)


def _plain_operand(value: Any) -> Any:
    """The operand of a query without a check."""
    if isinstance(value, Unchecked):
        return _unchecked_operand(value.operand)
    if isinstance(value, Operator) and any(isinstance(each, Unchecked) for each in value.operands):
        return Operator(value.name, tuple(map(_plain_operand, value.operands)))
    return value


def _unchecked_operand(operand: Any) -> Any:
    """An operand without a check, also by the parts of keys."""
    if isinstance(operand, Unchecked):
        return _unchecked_operand(operand.operand)
    if isinstance(operand, Operator):
        return Operator(operand.name, tuple(map(_unchecked_operand, operand.operands)))
    return UncheckedText(operand) if operand.__class__ is str else operand


def _checked_operand(declaration: Declaration, name: str, value: Any) -> Any:
    each = declaration.fields[name]
    if isinstance(value, Unchecked) or each.schema is None or (value is None and each.nullable):
        return _plain_operand(value)
    rule, where = field_rule(declaration, name), f"{declaration.name}.{name}"
    if not isinstance(value, Operator):
        return rule.equal(where, value, converts=False)
    if value.name == "eq":
        return Operator("eq", (_checked_operand(declaration, name, value.operands[0]),))
    operands = [
        _plain_operand(each)
        if isinstance(each, Unchecked)
        else rule.bound(where, each, value.name, converts=False)
        for each in value.operands
    ]
    return Operator(value.name, tuple(operands))


# The types that key parts check by themselves, and the members of their schemas that are not rules.
_CHECKED_BY_KEYS: Final = frozenset(
    ("str", "int", "date", "uuid", "bool", "decimal", "enum", "literal", "bytes")
)
_NO_RULES: Final = frozenset(("type", "ref", "metadata", "serialization", "cls", "members", "expected"))


def plain_type(declaration: Declaration, each: Field) -> str:
    """The type in the core schema of a field that has no rules but this type; empty if it has some."""
    if each.schema is None:
        return ""
    node = each.schema[0]
    while node["type"] in ("default", "nullable"):
        node = node["schema"]
    # Lengths and letter cases that hold for every text of the model.
    config = declaration.entity.model_config.items()
    has_rules = any(value for option, value in config if option.startswith("str_"))
    return "" if has_rules or not _NO_RULES.issuperset(node) else str(node["type"])


def _ruled_fields(declaration: Declaration) -> frozenset[str]:
    """The fields with rules that keys do not check."""
    names = []
    for name, each in declaration.fields.items():
        plain = plain_type(declaration, each) in _CHECKED_BY_KEYS and name not in declaration.rounded_sources
        if each.schema is not None and not plain:
            names.append(name)
    return frozenset(names)


def field_rule(declaration: Declaration, name: str) -> OperandRule:
    """The rule for operands of a stored field."""
    return declaration.once(("operand rule", name), lambda: _field_rule(declaration, name))


def _field_rule(declaration: Declaration, name: str) -> OperandRule:
    each, values = declaration.fields[name], field_facts(declaration).values
    info = declaration.entity.__pydantic_fields__[name]
    examples = (*(info.examples or ()), each.default)
    node, known = each.schema or ({"type": "any"}, {})
    rule = OperandRule(declaration, node, known, values.validator(name).validate_python, examples)
    form = each.stored_form
    rule.is_rounded = form is not None and form.rounded is not None
    if form is not None and form.name and form.type != "S":
        rule.holds_text = False
    return rule


def inner_rule(declaration: Declaration, path: tuple[Any, ...]) -> OperandRule | None:
    """The rule for operands at a path inside a field; None if the model does not say what is there."""
    each = declaration.fields[path[0]]
    if each.schema is None or not all(isinstance(step, (str, int)) for step in path):
        return None
    try:
        schema = core_schema.schema_at_path(*each.schema, path[1:])
    except core_schema.UnknownMember:
        return None
    return None if schema is None else _node_rule(declaration, schema.node, each.schema[1])


def member_rule(declaration: Declaration, rule: OperandRule) -> OperandRule | None:
    """The rule for members of a list or set."""
    *around, innermost = core_schema.wrapped_nodes(rule.node, rule.known)
    members = innermost.get("items_schema") if innermost["type"] in ("list", "set", "frozenset") else None
    if members is None or not all(core_schema.is_trusted(each) for each in around if "function" in each):
        return None
    return _node_rule(declaration, members, rule.known)


def _node_rule(declaration: Declaration, node: Node, known: Mapping[str, Node]) -> OperandRule:
    # Nodes live as long as the class, so their ids are stable.
    def make() -> OperandRule:
        reader = core_schema.Reader(known, config_of(declaration.entity))
        return OperandRule(declaration, node, known, reader.validator(node))

    return declaration.once(("operand rule", id(node)), make)


# Types whose text does not sort like their values.
_UNSORTED: Final = frozenset(("timedelta", "complex", "fraction"))
_CHANGES: Final = ("strip_whitespace", "to_lower", "to_upper")
# Completions of a text bound that are tried on the validators of the user.
_TRIED: Final = "a0A"
_MAX_TRIED: Final = 40
# A longer value is not written out where people would copy it.
_LONGEST_FIX: Final = 80


class OperandRule:
    """What a value that a field, or a path inside one, is compared with must be."""

    def __init__(
        self,
        declaration: Declaration,
        node: Node,
        known: Mapping[str, Node],
        validate: Validate,
        examples: tuple[Any, ...] = (),
    ) -> None:
        self._declaration, self.node, self.known, self.examples = declaration, node, known, examples
        self.is_rounded = False
        self._validate, self._config = validate, config_of(declaration.entity)
        self._nodes = list(core_schema.wrapped_nodes(node, known))
        # The types of DynamoDB that values are stored as; None if it depends on the value.
        self.types = core_schema.wire_types(node, known) or None
        self.holds_text = self.types is None or "S" in self.types
        self.nullable = any(each["type"] == "nullable" for each in self._nodes)
        self.is_time = self._nodes[-1]["type"] in ("date", "datetime", "time", "timedelta")
        self._has_validators = any(
            "function" in each and not core_schema.is_trusted(each) for each in self._nodes
        )
        self._changes_values = core_schema.calls_user_code(node) or _changes_text(self._nodes, self._config)

    @cached_property
    def format(self) -> StoredForm | None:
        """The format that a marker on the type decides."""
        return format_of_nodes(self._nodes)

    @cached_property
    def unsorted(self) -> str:
        """The name of a type whose values are stored as text that does not sort like them; empty for others."""
        kind = self._nodes[-1]["type"]
        if kind in _UNSORTED:
            return str(kind)
        if kind == "union" and self._mixes_zones():
            return "datetime with and without a zone"
        called = (core_schema.function_of(each) for each in self._nodes if "function" in each)
        names = (getattr(each, "__qualname__", "") for each in called)
        return "IP address" if any(name.startswith(("ip_v", "IPvAny")) for name in names) else ""

    def _mixes_zones(self) -> bool:
        """Whether a union has datetimes with a zone and others without."""
        listed = self._nodes[-1]["choices"]
        choices = (each[0] if isinstance(each, tuple) else each for each in listed)
        types = [list(core_schema.wrapped_nodes(each, self.known))[-1] for each in choices]
        return len({each.get("tz_constraint") for each in types if each["type"] == "datetime"}) > 1

    def stored(self, value: Any, where: str) -> Wire:
        """A value as it is stored, with the formats of its members."""
        return to_wire((self._store or stored_value)(value, where))

    @cached_property
    def _store(self) -> Store | None:
        try:
            return Forms(self.known).of(self.node).store
        except CannotStore:
            return None

    @cached_property
    def _texts(self) -> Texts | None:
        return texts_of(self.node, self.known, self._config) if self.holds_text else None

    @cached_property
    def _validate_type(self) -> Validate | None:
        """The validator of the type alone, if its stored form does not tell it from others."""
        node = self._nodes[-1]
        if node["type"] not in ("date", "datetime", "time", "timedelta", "uuid"):
            return None
        return self._validator({name: node[name] for name in ("type", "tz_constraint") if name in node})

    def _validator(self, node: Node) -> Validate:
        return core_schema.Reader(self.known, self._config).validator(node)

    @property
    def converts(self) -> bool:
        """Whether validation can give back another value, as one that lowercases does."""
        return self._changes_values or self.is_rounded

    def equal(self, where: str, value: Any, *, converts: bool = True) -> Any:
        """A value that must be valid, as the model holds it.

        Without `converts` it keeps its type: a key takes no text for a date.
        """
        valid = self._valid(where, value)
        return valid if converts or self.converts or valid.__class__ is value.__class__ else value

    def _valid(self, where: str, value: Any) -> Any:
        try:
            return self._validate(value)
        except PkskError:
            raise
        except Exception as error:  # validators of the user may raise anything
            if self._alone is None:
                self._reject_value(where, value, error)
            return self._alone.equal(where, value)

    @cached_property
    def _alone(self) -> OperandRule | None:
        """The rule without validators that may need other fields; None if there are no such validators."""
        rest = _without_dependent(self.node)
        if rest is self.node:
            return None
        return OperandRule(self._declaration, rest, self.known, self._validator(rest), self.examples)

    def bound(self, where: str, value: Any, operator: str, *, converts: bool = True) -> Any:
        """A bound of a range, or a prefix: of the right type, and as text the beginning of a valid value."""
        text = value.value if isinstance(value, Enum) else value
        if isinstance(text, str) and self.holds_text:
            bound = self._text_bound(where, text, is_prefix=operator in ("begins", "begins_with"))
            return value if bound is text else bound
        bound = self._other_bound(where, value)
        return bound if converts or self.converts or bound.__class__ is value.__class__ else value

    def _other_bound(self, where: str, value: Any) -> Any:
        if self._changes_values:  # a bound is compared with rounded values, but not rounded itself
            try:
                return self._validate(value)
            except Exception:  # a number may be outside the range of valid ones
                pass
        if self._validate_type is None or value is None:
            return value
        try:
            return self._validate_type(value)
        except ValidationError as error:
            self._reject_value(where, value, error)

    def _text_bound(self, where: str, text: str, *, is_prefix: bool) -> Any:
        if self._has_validators:
            return self._validated_bound(where, text, is_prefix=is_prefix)
        if self._texts is None:
            return text
        adapted = self._texts.adapted(text)
        if not self._texts.can_begin(adapted):
            self._reject_bound(where, text, f"values are {self._texts.rule}")
        return adapted

    def _validated_bound(self, where: str, text: str, *, is_prefix: bool) -> Any:
        """The bound as validators of the user return it, or what they return for a text that begins with it."""
        reason: object = ""
        for completion in self._completions(text):
            try:
                valid = self._validate(completion)
            except Exception as error:  # validators of the user may raise anything
                reason = reason or _reason(error)
                continue
            if completion is text and not is_prefix:
                return valid
            same_length = isinstance(valid, str) and len(valid) == len(completion)
            return valid[: len(text)] if same_length else text
        if self._alone is None:
            self._reject_bound(where, text, str(reason))
        return self._alone._text_bound(where, text, is_prefix=is_prefix)

    def _completions(self, text: str) -> Iterator[str]:
        yield text
        completed = None if self._texts is None else self._texts.completed(self._texts.adapted(text))
        if completed is not None:
            yield completed
        yield from (text + each[len(text) :] for each in self.examples if isinstance(each, str))
        for character in dict.fromkeys(text[-1:] + _TRIED):
            yield from (text + character * count for count in range(1, _MAX_TRIED))

    def sample(self, text: str) -> str:
        """A made-up text if it is valid, else an example of the field, or a valid text like the made-up one."""
        for each in (text, *self.examples, *self._texts_like(text)):
            try:
                if isinstance(each, str):
                    self._validate(each)
                    return each
            except Exception:  # validators of the user may raise anything
                continue
        return text

    def _texts_like(self, text: str) -> Iterator[str | None]:
        """The shortest valid text for each beginning of a text, the longest beginning first."""
        if self._texts is not None:
            for end in range(len(text), -1, -1):
                if self._texts.can_begin(text[:end]):
                    yield self._texts.completed(text[:end])

    def part(self, where: str, text: str) -> str:
        """A part of a text, in the letter case of valid values; rejects one that no valid value contains."""
        if self._texts is None or self._has_validators:
            return text
        bare = text.lstrip()
        adapted = text[: len(text) - len(bare)] + self._texts.adapted(bare)
        if not self._texts.can_contain(adapted):
            self._reject(
                f"{where}: no valid value contains {quote(text)}: values are {self._texts.rule}.",
                f"give {quote(_field(where))} a part of a valid value", text,
            )  # fmt: skip
        return adapted

    def _reject_value(self, where: str, value: Any, error: Exception) -> NoReturn:
        self._reject(
            f"{where}: {quote(value)} is not a valid value: {_reason(error)}.",
            f"give {quote(_field(where))} a value that {self._declaration.name} accepts", value,
        )  # fmt: skip

    def _reject_bound(self, where: str, text: str, rule: str) -> NoReturn:
        self._reject(
            f"{where}: no valid value begins with {quote(text)}: {rule}.",
            f"give {quote(_field(where))} a valid value or the beginning of one", text,
        )  # fmt: skip

    def _reject(self, problem: str, fix: str, operand: Any) -> NoReturn:
        shown = quote(operand) if len(quote(operand, limit=200)) < _LONGEST_FIX else "..."
        hint = f"; to look for items that break the rule, write unchecked({shown})"
        raise InvalidValue(
            "operand-value",
            problem,
            expected="Operands of queries and conditions must obey the rules of their fields.",
            fix=f"{fix}{hint if self._is_of_type(operand) else ''}.",
        )

    def _is_of_type(self, operand: Any) -> bool:
        """Whether an operand breaks the rules of a field and not its type, which a key needs in any case."""
        kind = self._nodes[-1]["type"]
        if kind == "str":
            return isinstance(operand, str)
        return operand is not None and not (kind in ("int", "decimal", "float") and isinstance(operand, str))


def format_of_nodes(nodes: Sequence[Node]) -> StoredForm | None:
    """The format that a marker on the type decides, from the outermost node inwards; that of times with a zone."""
    markers = map(stored_marker, nodes)
    marked = next((marker.form for marker in markers if marker is not None), None)
    is_instant = nodes[-1]["type"] == "datetime" and nodes[-1].get("tz_constraint") == "aware"
    return marked or (INSTANTS if is_instant else None)


def _changes_text(nodes: list[Node], config: Mapping[str, Any]) -> bool:
    of_model = nodes[-1]["type"] == "str" and any(config.get(f"str_{change}") for change in _CHANGES)
    return of_model or any(each.get(change) for each in nodes for change in _CHANGES)


def _field(where: str) -> str:
    return where.partition(".")[2]


def _reason(error: Exception) -> str:
    """Why a value is rejected, in the words of Pydantic or of the validator."""
    if not isinstance(error, ValidationError):
        return f"{type(error).__name__}: {error}"
    first = error.errors()[0]
    inside = "".join(f"[{step!r}]" for step in first["loc"])
    return f"{inside}{': ' if inside else ''}{first['msg']}"


def _without_dependent(node: Node) -> Node:
    """A node without validators of the user that read the other fields: a query does not know those."""
    inside = core_schema.inner_node(node)
    if "function" in node and not core_schema.is_trusted(node) and _reads_other_fields(node):
        return {"type": "any"} if inside is None else _without_dependent(inside)
    if inside is None:
        return node
    schema = _without_dependent(inside)
    if schema is inside:
        return node
    return {name: schema if each is inside else each for name, each in node.items()}


def _reads_other_fields(node: Node) -> bool:
    """Whether a validator takes `info` and names `data`, which has the values of other fields."""
    code = getattr(core_schema.function_of(node), "__code__", None)
    return node["function"]["type"] == "with-info" and (code is None or "data" in code.co_names)
