"""How the values of each type are stored, and which values may not be read back as they were."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, NoReturn, TypeAlias

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue
from pksk.model.storing.core_schema import Node, Reader, function_of, inner_node, is_trusted
from pksk.model.storing.stored_value import stored_value

Store = Callable[[Any, str], Any]


class CannotStore(Exception):
    """A type whose values cannot be stored and read back: why, and what to declare instead."""

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(problem)
        self.problem, self.fix = problem, fix


@dataclass(frozen=True, slots=True)
class Form:
    """How a value is stored: by `store`, or else by its own type; and why it may come back as another.

    `ambiguous`: a stored value can mean several values, as in `Any`. `runs_user_code`: a function of the user's runs
    when it is read. Such values are read back before they are stored.

    Example:
        >>> Form(ambiguous=True).combined([Form(runs_user_code=True)])
        Form(store=None, ambiguous=True, runs_user_code=True)
    """

    store: Store | None = None
    ambiguous: bool = False
    runs_user_code: bool = False

    def combined(self, others: list[Form]) -> Form:
        """The same way to store, with the doubts about all of them."""
        every = [self, *others]
        return replace(
            self,
            ambiguous=any(f.ambiguous for f in every),
            runs_user_code=any(f.runs_user_code for f in every),
        )

    def optional(self) -> Form:
        """The same for values that may be None, which is stored as it is."""
        store = self.store
        if store is None:
            return self
        return replace(self, store=lambda value, path: None if value is None else store(value, path))


# By its own type, and sure to come back as it was.
EXACT = Form()


_SCALAR_TYPES = frozenset(
    ("str", "int", "bool", "none", "bytes", "float", "decimal", "complex", "fraction", "date", "datetime", "time",
     "timedelta", "uuid", "url", "multi-host-url")
)  # fmt: skip


Handler: TypeAlias = "Callable[[Forms, Node], Form]"


class Forms:
    """Finds the form of each node, and remembers those that others refer to.

    Example:
        >>> Forms({}).of({"type": "int"})
        Form(store=None, ambiguous=False, runs_user_code=False)
    """

    def __init__(self, known: Mapping[str, Node], config: Any = None) -> None:
        self.known = known
        self.reader = Reader(self.known, config)
        self._done: dict[str, Form] = {}

    def of(self, node: Node, *, one_type: bool = False) -> Form:
        """The form of a node; with `one_type`, several ways to read it lead to one type."""
        kind = node["type"]
        if kind in _SCALAR_TYPES:
            return scalar_form(self, node)
        if kind == "definition-ref":
            return self._referred(node["schema_ref"])
        if kind == "union" and one_type:
            return Form()
        handle = _HANDLERS.get(kind) or _composite_handler(kind)
        return handle(self, node) if handle else Form(_custom_store(self, node), ambiguous=True)

    def _referred(self, name: str) -> Form:
        if name not in self._done:
            # A type that holds itself meets this while it is worked out, and looks again when it is used.
            self._done[name] = Form(partial(self._store_later, name))
            self._done[name] = self.of(self.known[name])
        return self._done[name]

    def _store_later(self, name: str, value: Any, path: str) -> Any:
        return (self._done[name].store or stored_value)(value, path)


def _composite_handler(kind: str) -> Handler | None:
    # Loaded for the first list, model or union: most entities have none.
    from pksk.model.storing.composite_forms import COMPOSITE_HANDLERS

    return COMPOSITE_HANDLERS.get(kind)


def scalar_form(_forms: Forms, node: Node) -> Form:
    """Text, a number, a time and their like: stored by their own type."""
    if node.get("now_op") == "future":
        raise CannotStore(
            "A time that must lie in the future cannot be read back once it has passed",
            "declare the plain type, and check the time where the value comes in.",
        )
    # Neither a default nor an assigned value is trimmed before it is stored; what is read is.
    trims = any(node.get(each) for each in ("strip_whitespace", "to_lower", "to_upper"))
    # Pydantic reads no complex numbers from text in a strict model, whatever the options.
    return Form(ambiguous=trims or node["type"] == "complex")


def wrapper_form(forms: Forms, node: Node) -> Form:
    """A type with a default, or which may be None, or with one way for JSON and one for Python."""
    within = inner_node(node)
    assert within is not None
    # What Pydantic gives one serializer is one type, though it may be read in several ways.
    return forms.of(within, one_type="serialization" in node and node["type"] != "default").optional()


def function_form(forms: Forms, node: Node) -> Form:
    """A type with a function before, after or around it."""
    called = function_of(node)
    if called is OrderedDict:
        ordered_form(forms, node)
    if getattr(called, "__qualname__", "").startswith(("EncodedBytes.", "EncodedStr.")):
        return Form(_dumped(forms, node), ambiguous=True)
    if node["type"] == "function-plain":
        return Form(_custom_store(forms, node), runs_user_code=not is_trusted(node))
    if is_trusted(node):
        return forms.of(node["schema"], one_type=True)
    try:
        return replace(forms.of(node["schema"]), runs_user_code=True)
    except CannotStore:
        # The function may make the value from something else than the type inside.
        return Form(_custom_store(forms, node), runs_user_code=True)


def _custom_store(forms: Forms, node: Node) -> Store:
    """Stores values by their own type, or else as Pydantic writes them."""

    def store(value: Any, path: str) -> Any:
        try:
            return stored_value(value, path)
        except InvalidValue:
            plain = forms.reader.dump(node, value, "json")
            if type(plain) is type(value):
                raise
        return stored_value(plain, path)

    return store


def _dumped(forms: Forms, node: Node) -> Store:
    """Stores what Pydantic writes in order to read it again: JSON as its text, bytes as they are encoded."""
    return lambda value, path: stored_value(forms.reader.dump(node, value, "python"), path)


def json_form(forms: Forms, node: Node) -> Form:
    """JSON that is kept as text."""
    return Form(_dumped(forms, node), ambiguous=True)


def any_form(_forms: Forms, _node: Node) -> Form:
    """Any value at all."""
    return Form(ambiguous=True)


def chain_form(forms: Forms, node: Node) -> Form:
    """Several validators, one after the other."""
    return forms.of(node["steps"][-1])


def instance_form(_forms: Forms, node: Node) -> Form:
    """An object of a class, and nothing that could become one."""
    kind = node["cls"]
    if isinstance("", kind) or any(issubclass(each, kind) for each in (int, bytes, bool, list, dict, set)):
        return Form(ambiguous=True)
    raise CannotStore(
        f"An item holds no objects of class {getattr(kind, '__name__', kind)}, and nothing says how to make one",
        "give the field a validator that makes one from text, or leave it out of the entity.",
    )


def no_form(_forms: Forms, _node: Node) -> NoReturn:
    """A function, a class, or something that can be read only once."""
    raise CannotStore(
        "An item cannot hold it: it is not data",
        "declare data, such as a list or the name of what is meant, or leave the field out of the entity.",
    )


def ordered_form(_forms: Forms, _node: Node) -> NoReturn:
    """A map whose order counts."""
    raise CannotStore(
        "DynamoDB keeps no order in a map", "declare a dict, or a list of pairs: list[tuple[K, V]]."
    )


_HANDLERS: Final[Mapping[str, Handler]] = {
    "any": any_form,
    "json": json_form,
    "chain": chain_form,
    "is-instance": instance_form,
    "ordered-dict": ordered_form,
    **dict.fromkeys(("nullable", "default", "custom-error", "lax-or-strict", "json-or-python"), wrapper_form),
    **dict.fromkeys(("function-before", "function-after", "function-wrap", "function-plain"), function_form),
    **dict.fromkeys(("callable", "is-subclass", "generator"), no_form),
}
