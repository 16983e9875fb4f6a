"""Entities: Pydantic models that are stored in a table, with keys beside the fields."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import update_wrapper
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, cast

from pydantic import BaseModel, ConfigDict

from pksk.errors import DesignError, InvalidValue, PkskError, did_you_mean, quote, shorten_traceback
from pksk.model import requests
from pksk.model.access_options import is_figure
from pksk.model.constructor_arguments import check_arguments
from pksk.model.declaration import Declaration
from pksk.model.declaring.declare import declare
from pksk.model.extension import EntityExtension
from pksk.model.forward_references import complete_declaration, complete_entity, remember_rejection
from pksk.model.key import Key
from pksk.model.patterns.entity_patterns import entity_patterns
from pksk.model.storing.origin import origin, set_origin
from pksk.schema import Table
from pksk.values.wire import item_to_boto3

if TYPE_CHECKING:
    # Pydantic does not publish its metaclass under a name, and type checkers need one.
    from pydantic._internal._model_construction import ModelMetaclass as _ModelMeta

    from pksk.model.requests import Query, Scan
else:
    _ModelMeta = type(BaseModel)

# Pydantic's warning about a field that has the name of a method.
_SHADOWING_WARNING = 'Field name ".*" in ".*" shadows an attribute in parent ".*"'


def _shadowing_filters() -> list[Any]:
    """The warning filters of the classes that are being created, the innermost first."""
    return [
        each for each in warnings.filters if getattr(each[1], "pattern", "").startswith(_SHADOWING_WARNING)
    ]


_OPTIONS = ("table", "items", "per_partition", "growth", "discriminator", "unknown")
_UNKNOWN = ("keep", "drop", "error")


class OverridableMethod:
    """A method whose name a field may have: an author may call a field `where` or `scan`.

    Pydantic looks up the default of a field as an attribute of the new class, and would find the method of the base.
    """

    def __init__(self, method: Any, name: str) -> None:
        wrapper: Any = self
        update_wrapper(wrapper, method)
        self._method, self._name = method, name

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        # Until Pydantic has collected the fields of a class, only Pydantic asks for this attribute.
        fields = vars(owner).get("__pydantic_fields__")
        if fields is None or (instance is not None and self._name in fields):
            raise AttributeError(self._name)
        return self._method.__get__(instance, owner)


# Methods of models in other libraries, and the calls of a store that do the same, with names for the entity, its key
# and the key's parts.
_STORE_CALLS = {
    "get": "db.get({entity}, {parts}), or {entity}.{key}.get({parts}) as a request",
    "find": "db.iter({entity}.{key}(...)) or db.get({entity}, {parts})",
    "query": "db.iter({entity}.{key}(...))",
    "filter": "db.iter({entity}.{key}(...).filter(F...))",
    "all": "db.scan({entity}.scan())",
    "save": "db.put({entity}(...))",
    "put": "db.put({entity}(...))",
    "create": "db.create({entity}(...))",
    "update": "db.update({entity}.{key}.update({parts}).set(...))",
    "delete": "db.delete({entity}, {parts})",
}
# The same for one entity.
_STORE_CALLS_OF_ONE = {
    "save": "db.put(entity), or db.create(entity) for an item that must not exist",
    "put": "db.put(entity)",
    "create": "db.create(entity)",
    "insert": "db.create(entity)",
    "update": "db.update({entity}.{key}.update({parts}).set(...)), or change the entity and write db.put(entity)",
    "delete": "db.delete(entity)",
    "remove": "db.delete(entity)",
    "refresh": "db.get({entity}, {parts})",
}


class UnknownName(DesignError, AttributeError):
    """A name that an entity does not have; looks for a similar one only when it is read, for `hasattr` needs none."""

    def __str__(self) -> str:
        if not self.fix:
            near = did_you_mean(self.name or "", [each for each in dir(self.obj) if not each.startswith("_")])
            self.fix = f"did you mean {near!r}?" if near else "see help(Entity)."
        return super().__str__()


def _unknown_name(entity: Any, name: str, calls: Mapping[str, str]) -> UnknownName:
    declaration: Declaration = vars(entity)["__pksk__"]
    call, fix = calls.get(name), ""
    if call is not None:
        parts = ", ".join(f"{each}=..." for each in declaration.primary.fields)
        call = call.format(entity=declaration.name, key=declaration.primary.name, parts=parts)
        fix = f"write {call}."
    elif name in declaration.fields:
        fix = f"in conditions, write F.{name}."
    error = UnknownName("entity-no-method", f"{entity.__name__} has no {name!r}.", fix=fix)
    error.name, error.obj = name, entity
    return error


class EntityMeta(_ModelMeta):
    """Makes entity classes: a field may have any name, also one that a method of models has."""

    @classmethod
    def __prepare__(cls, *arguments: Any, **options: Any) -> dict[str, object]:
        """Silence Pydantic's warning about fields such as `json`, `schema` and `copy`, for this class.

        Not in __new__: Pydantic finds the names of local types by counting frames from there.
        """
        # A comment in the pattern makes it another one for a class inside the body of a class.
        warnings.filterwarnings("ignore", message=f"{_SHADOWING_WARNING}(?#{len(_shadowing_filters())})")
        return super().__prepare__(*arguments, **options)

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Allow the warning again."""
        super().__init__(*arguments, **options)
        for silent in _shadowing_filters()[:1]:
            warnings.filters.remove(silent)  # type: ignore[attr-defined]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Complete a class whose declaration is read before it has one, or suggest a similar name."""
            if name == "__pksk__":
                return complete_declaration(self)
            try:
                return super().__getattr__(name)
            except AttributeError:
                # Pydantic asks for many names while it makes a class, and for its own ones always.
                if name.startswith("_") or "__pksk__" not in vars(self):
                    raise
            raise _unknown_name(self, name, _STORE_CALLS)


if TYPE_CHECKING:
    # What a metaclass says to type checkers about fields does not pass on to its subclasses.
    _Meta = _ModelMeta
else:
    _Meta = EntityMeta


class Entity(BaseModel, metaclass=_Meta):
    """A model whose objects are stored as items of a table.

    `table` registers the entity there; a class without it is a base for others. `items`, `per_partition` and
    `growth` say how many items to expect, for estimates. `discriminator` distinguishes its items from those of other
    entities; its default is the name of the class. `unknown` says what happens to attributes of an item that the model
    does not know: a put writes them back ("keep", the default), removes them ("drop"), or reading such an item is an
    error ("error"); subclasses inherit it. To store an existing model, declare a class of both:
    `class StoredOrder(Order, Entity, table=shop)`.

    Example:
        >>> from pksk import Key, Table
        >>> orders = Table("orders")
        >>> class Order(Entity, table=orders):
        ...     id: str
        ...     total: int
        ...     primary = Key("ORDER#{id}", "META")
        >>> item = Order(id="7", total=5).to_item()
        >>> item["pk"], item["total"], Order.from_item(item)
        ({'S': 'ORDER#7'}, {'N': '5'}, Order(id='7', total=5))
    """

    # Deferred for this class alone, see below: its own schema is never used.
    model_config: ClassVar[ConfigDict] = ConfigDict(ignored_types=(Key, EntityExtension), defer_build=True)

    __pksk__: ClassVar[Declaration]
    __pksk_options__: ClassVar[dict[str, Any]] = {}
    __pksk_unknown__: ClassVar[str | None] = None

    def __init__(self, /, **data: Any) -> None:
        __tracebackhide__ = True
        # A class whose annotations name later classes is completed by Pydantic, and knows its aliases only then.
        is_complete = type(self).__pydantic_complete__
        if is_complete:
            check_arguments(type(self), data)
        super().__init__(**data)
        if not is_complete:
            check_arguments(type(self), data)

    # Reads do not call it, and Pydantic need not.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Say which method of a store is meant by the name of one that models of other libraries have."""
            kind = type(self)
            if (
                name in _STORE_CALLS_OF_ONE
                and name not in kind.__pydantic_fields__
                and "__pksk__" in vars(kind)
            ):
                raise _unknown_name(kind, name, _STORE_CALLS_OF_ONE)
            return super().__getattr__(name)

        def copy(self, **options: Any) -> Self:
            """Pydantic's former `model_copy`, which is deprecated."""
            # It creates the set of fields anew.
            duplicate = super().copy(**options)
            if (item_origin := origin(self)) is not None:
                set_origin(duplicate, item_origin)
            return duplicate

    @classmethod
    def where(cls, /, **attributes: Any) -> Query[Self]:
        """Rows by any attributes, through the cheapest key that serves them; rejected if none does.

        Example:
            >>> from pksk import Key, Table
            >>> class Order(Entity, table=Table("orders")):
            ...     id: str
            ...     primary = Key("ORDER#{id}", "META")
            >>> Order.where(id="7").plan.index is None
            True
        """
        return requests.Query.of_entity(complete_entity(cls), None, attributes)

    @classmethod
    def scan(cls) -> Scan[Self]:
        """All items of the entity, by reading the whole table."""
        return requests.Scan(complete_entity(cls))

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        """The entity that an item holds, as boto3 or DynamoDB's JSON gives it.

        Example:
            >>> from pksk import Key, Table
            >>> class Order(Entity, table=Table("orders")):
            ...     id: str
            ...     primary = Key("ORDER#{id}", "META")
            >>> Order.from_item({"id": {"S": "7"}, "pk": {"S": "ORDER#7"}, "sk": {"S": "META"}})
            Order(id='7')
        """
        try:
            return cast("Self", complete_entity(cls).__pksk__.from_item(dict(item)))
        except InvalidValue as error:
            if error.code == "value-wire-shape":
                error.problem = f"{cls.__name__}.from_item: {error.problem}"
                error.fix = "pass DynamoDB's JSON; pksk.values.item_to_wire(item) converts an item of boto3's resource."
            raise

    def to_item(self) -> dict[str, dict[str, Any]]:
        """The item of this entity, with every key attribute, as boto3 takes it.

        Example:
            >>> from pksk import Key, Table
            >>> class Order(Entity, table=Table("orders")):
            ...     id: str
            ...     primary = Key("ORDER#{id}", "META")
            >>> Order(id="7").to_item()["pk"]
            {'S': 'ORDER#7'}
        """
        return item_to_boto3(complete_entity(type(self)).__pksk__.to_item(self))

    def __init_subclass__(
        cls,
        table: Table | None = None,
        items: int | None = None,
        per_partition: int | None = None,
        growth: object = None,
        discriminator: str | None = None,
        unknown: str | None = None,
        **options: Any,
    ) -> None:
        """Store the options of the class until its fields are known."""
        try:
            super().__init_subclass__(**options)
        except TypeError:
            if not options:
                raise
            _reject_options(cls.__name__, options)
        cls.__pksk_options__ = {
            "table": table,
            "items": items,
            "per_partition": per_partition,
            "growth": growth,
            "discriminator": discriminator,
            "unknown": cls.__pksk_unknown__ if unknown is None else unknown,
        }
        _check_options(cls.__name__, cls.__pksk_options__)
        if unknown is not None:
            cls.__pksk_unknown__ = unknown

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        """Accept the options, which __init_subclass__ has stored already."""

    @classmethod
    def __pydantic_on_complete__(cls) -> None:
        """Check and compile keys and patterns, now that every annotation is known, and register the entity."""
        options = cls.__dict__.get("__pksk_options__", {})
        if options.get("table") is None:
            return
        try:
            cls.__pksk__ = declare(cls, **options)
            patterns = entity_patterns(cls)
        except PkskError as error:
            if "__pksk__" in vars(cls):
                del cls.__pksk__
            remember_rejection(cls, error)
            raise shorten_traceback(error)  # noqa: B904 - the error itself
        cls.__pksk__.table.register_entity(cls.__pksk__)
        for pattern in patterns:
            cls.__pksk__.table.register_pattern(pattern)


# Building a schema loads Pydantic's plugins, which reads the metadata of all installed packages (a tenth of the start).
del Entity.model_config["defer_build"]


def _check_options(name: str, options: Mapping[str, Any]) -> None:
    """Reject options of a wrong type."""
    table = options["table"]
    if table is not None and not isinstance(table, Table):
        _reject_option(name, "table", table, "a Table", 'shop = Table("shop") and then table=shop')
    for option in ("items", "per_partition"):
        value = options[option]
        if value is not None and not is_figure(value):
            _reject_option(name, option, value, "a number of items from 0 to 10**15", f"{option}=1000")
    tag = options["discriminator"]
    if tag is not None and (not isinstance(tag, str) or not tag):
        _reject_option(
            name, "discriminator", tag, "the text that tells its items apart", 'discriminator="order"'
        )
    unknown = options["unknown"]
    if unknown is not None and unknown not in _UNKNOWN:
        near = did_you_mean(str(unknown), _UNKNOWN) or "drop"
        _reject_option(name, "unknown", unknown, '"keep", "drop" or "error"', f'unknown="{near}"')


def _reject_option(name: str, option: str, value: object, what: str, example: str) -> NoReturn:
    raise DesignError(
        "entity-option",
        f"class {name}: {option}={quote(value)} is not {what}.",
        fix=f"write {example}, for example.",
    )


def _reject_options(name: str, unknown: Mapping[str, Any]) -> NoReturn:
    """Reject options that neither an entity nor Pydantic knows."""
    first = next(iter(unknown))
    near = did_you_mean(first, _OPTIONS)
    of_keys = first in (Key.__init__.__kwdefaults__ or ())
    fix = f"it is an option of a key: Key(..., {first}=...)." if of_keys else "take it out."
    raise DesignError(
        "entity-option",
        f"class {name}: there is no option {first!r}.",
        expected=f"Options are: {', '.join(_OPTIONS)}, and those of Pydantic's ConfigDict.",
        fix=f"did you mean {near!r}?" if near else fix,
    )


for _name, _method in list(vars(Entity).items()):
    if not _name.startswith("_") and isinstance(_method, (classmethod, FunctionType)):
        setattr(Entity, _name, OverridableMethod(_method, _name))
