"""How the values of each type are stored, and which of them may be read back as other values."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NoReturn, TypeAlias

from pksk.dataclass import dataclass, replace
from pksk.errors import InvalidValue
from pksk.model.markers.marker import holds_instants
from pksk.model.markers.stored import Stored, stored_marker
from pksk.model.storing.core_schema import (
    Node,
    Reader,
    calls_user_code,
    function_of,
    inner_node,
    is_trusted,
    wrapped_nodes,
)
from pksk.model.storing.serializers import decides_form
from pksk.model.storing.stored_value import stored_value

Store = Callable[[Any, str], Any]
Read = Callable[[Any], Any]


class CannotStore(Exception):
    """The values of a type cannot be stored and read back; says why, and what to declare instead."""

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(problem)
        self.problem, self.fix = problem, fix


@dataclass(frozen=True, slots=True)
class Form:
    """How a value is stored: by `store`, or else by its own type; and why it may come back as another.

    `read` converts what is stored before Pydantic reads it, where `Stored` decides the format. `ambiguous`: a stored
    value can mean several values, as in `Any`. `runs_user_code`: user code runs when it is read. Such values are read
    back before they are stored. `open_time`: the type, or the
    member of a model, that is a time which may have a zone or not, and nothing says how it is stored.
    """

    store: Store | None = None
    read: Read | None = None
    ambiguous: bool = False
    runs_user_code: bool = False
    open_time: str = ""

    def combined(self, others: list[Form]) -> Form:
        """The same form, but ambiguous, running user code or open if any of the other forms is."""
        every = [self, *others]
        return replace(
            self,
            ambiguous=any(f.ambiguous for f in every),
            runs_user_code=any(f.runs_user_code for f in every),
            open_time=next((f.open_time for f in every if f.open_time), ""),
        )

    def optional(self) -> Form:
        """The same for values that may be None, which is stored as it is."""
        store, read = self.store, self.read
        if store is None:
            return self
        return replace(
            self,
            store=lambda value, path: None if value is None else store(value, path),
            read=read and (lambda stored: None if stored is None else read(stored)),
        )


# Stored by its own type, and always read back unchanged.
EXACT = Form()


_SCALAR_TYPES = frozenset(
    ("str", "int", "bool", "none", "bytes", "float", "decimal", "complex", "fraction", "date", "datetime", "time",
     "timedelta", "uuid", "url", "multi-host-url")
)  # fmt: skip


Handler: TypeAlias = "Callable[[Forms, Node], Form]"


class Forms:
    """Finds the form of each node, and caches those that others refer to."""

    def __init__(self, known: Mapping[str, Node], config: Any = None) -> None:
        self.known = known
        self.reader = Reader(self.known, config)
        self._done: dict[str, Form] = {}

    def of(self, node: Node, *, one_type: bool = False) -> Form:
        """The form of a node; with `one_type`, several ways to read it lead to one type."""
        if (marker := stored_marker(node)) is not None:
            return self._marked(node, marker)
        form = self._unmarked(node, one_type=one_type)
        return replace(form, open_time="") if form.open_time and holds_instants(node) else form

    def _unmarked(self, node: Node, *, one_type: bool) -> Form:
        kind = node["type"]
        if kind in _SCALAR_TYPES:
            return scalar_form(self, node)
        if "serialization" in node and decides_form(node):
            return Form(_dumped(self, node), runs_user_code=True)
        if kind == "definition-ref":
            return self._referred(node["schema_ref"])
        if kind == "union" and one_type:
            return Form()
        handle = _HANDLERS.get(kind) or _composite_handler(kind)
        return handle(self, node) if handle else Form(_custom_store(self, node), ambiguous=True)

    def _marked(self, node: Node, marker: Stored) -> Form:
        """The form of a type with a `Stored` marker."""
        *around, within = wrapped_nodes(node, self.known)
        if not marker.form.is_custom and (
            within["type"] != "datetime" or within.get("tz_constraint") == "naive"
        ):
            raise CannotStore(
                f"{marker!r} is a format of times with a zone",
                "put it beside the datetime itself, as in list[Annotated[datetime, Stored(...)]], or write a "
                "CustomFormat.",
            )
        form = Form(marker.form.store, marker.form.read, runs_user_code=calls_user_code(node))
        return form.optional() if any(each["type"] == "nullable" for each in around) else form

    def _referred(self, name: str) -> Form:
        if name not in self._done:
            # A recursive type finds this entry while its own form is being made, and resolves it later.
            read = partial(self._read_later, name) if has_marker(self.known[name], self.known) else None
            self._done[name] = Form(partial(self._store_later, name), read)
            self._done[name] = self.of(self.known[name])
        return self._done[name]

    def _store_later(self, name: str, value: Any, path: str) -> Any:
        return (self._done[name].store or stored_value)(value, path)

    def _read_later(self, name: str, stored: Any) -> Any:
        read = self._done[name].read
        return stored if read is None else read(stored)


def has_marker(node: object, known: Mapping[str, Node], seen: frozenset[str] = frozenset()) -> bool:
    """Whether a type has a `Stored` marker anywhere inside."""
    if isinstance(node, Mapping):
        name = node.get("schema_ref")
        if name is not None and name not in seen and has_marker(known.get(name), known, seen | {name}):
            return True
        if "type" in node and stored_marker(node) is not None:
            return True
        inside = (each for name, each in node.items() if name not in ("metadata", "serialization", "config"))
        return any(has_marker(each, known, seen) for each in inside)
    return isinstance(node, (list, tuple)) and any(has_marker(each, known, seen) for each in node)


def _composite_handler(kind: str) -> Handler | None:
    # Loaded for the first list, model or union: most entities have none.
    from pksk.model.storing.composite_forms import COMPOSITE_HANDLERS

    return COMPOSITE_HANDLERS.get(kind)


def scalar_form(_forms: Forms, node: Node) -> Form:
    """Strings, numbers, times and similar values: stored by their own type."""
    if node.get("now_op") == "future":
        raise CannotStore(
            "A time that must lie in the future cannot be read back once it has passed",
            "declare the plain type, and check the time where the value comes in.",
        )
    # Pydantic strips strings when it reads them, but not defaults and assigned values.
    trims = any(node.get(each) for each in ("strip_whitespace", "to_lower", "to_upper"))
    # Pydantic reads no complex numbers from text in a strict model, whatever the options.
    open_time = "datetime" if node["type"] == "datetime" and "tz_constraint" not in node else ""
    return Form(ambiguous=trims or node["type"] == "complex", open_time=open_time)


def wrapper_form(forms: Forms, node: Node) -> Form:
    """A type with a default, that may be None, or with different schemas for JSON and Python."""
    within = inner_node(node)
    assert within is not None
    # A type with one serializer is one type, even if Pydantic can read it from several forms.
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
        # The function may create the value from another type than the inner one.
        return Form(_custom_store(forms, node), runs_user_code=True)


def _custom_store(forms: Forms, node: Node) -> Store:
    """Stores values by their own type if possible, else as Pydantic serializes them."""

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
    """Stores values as Pydantic serializes them for a round trip: JSON as text, bytes encoded."""
    return lambda value, path: stored_value(forms.reader.dump(node, value, "python"), path)


def json_form(forms: Forms, node: Node) -> Form:
    """JSON that is kept as text."""
    return Form(_dumped(forms, node), ambiguous=True)


def any_form(_forms: Forms, _node: Node) -> Form:
    """Any value at all."""
    return Form(ambiguous=True)


def chain_form(forms: Forms, node: Node) -> Form:
    """Several validators that run one after the other."""
    return forms.of(node["steps"][-1])


def instance_form(_forms: Forms, node: Node) -> Form:
    """An instance of a class, which Pydantic does not create from other values."""
    kind = node["cls"]
    if isinstance("", kind) or any(issubclass(each, kind) for each in (int, bytes, bool, list, dict, set)):
        return Form(ambiguous=True)
    raise CannotStore(
        f"An item holds no objects of class {getattr(kind, '__name__', kind)}, and no validator creates one",
        "add a validator that creates one from text, or leave the field out of the entity.",
    )


def no_form(_forms: Forms, _node: Node) -> NoReturn:
    """Functions, classes and one-time iterators, which cannot be stored."""
    raise CannotStore(
        "It is not data, so an item cannot store it",
        "declare data, such as a list or the name of what is meant, or leave the field out of the entity.",
    )


def ordered_form(_forms: Forms, _node: Node) -> NoReturn:
    """A map whose order matters."""
    raise CannotStore(
        "A map in DynamoDB has no order", "declare a dict, or a list of pairs: list[tuple[K, V]]."
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
