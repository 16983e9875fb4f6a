"""Entities: Pydantic models that are stored in a table, with keys beside the fields."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import update_wrapper
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from pydantic import BaseModel, ConfigDict

from pksk.errors import DesignError, PkskError, did_you_mean, quote, shorten_traceback
from pksk.model.declaring.declare import declare
from pksk.model.forward_references import complete_declaration, complete_entity, remember_rejection
from pksk.model.key import Key
from pksk.model.patterns.entity_patterns import entity_patterns
from pksk.schema import Table

if TYPE_CHECKING:
    # What the metaclass of models is called is Pydantic's own affair; type checkers need a name.
    from pydantic._internal._model_construction import ModelMetaclass as _ModelMeta

    from pksk.model.declaration import Declaration
    from pksk.model.requests.query import Query
    from pksk.model.requests.scan import Scan
else:
    _ModelMeta = type(BaseModel)

# What Pydantic says of a field that has the name of a method.
_SHADOWING_WARNING = 'Field name ".*" in ".*" shadows an attribute in parent ".*"'


def _shadowing_filters() -> list[Any]:
    """The filters that are there for classes in the making, the innermost first."""
    return [
        each for each in warnings.filters if getattr(each[1], "pattern", "").startswith(_SHADOWING_WARNING)
    ]


_OPTIONS = ("table", "items", "per_partition", "growth", "discriminator")


class OverridableMethod:
    """A method whose name a field may have: an author may call a field `where` or `scan`.

    Pydantic looks up the default of a field as an attribute of the new class, and would find the method of the base.
    """

    def __init__(self, method: Any, name: str) -> None:
        wrapper: Any = self
        update_wrapper(wrapper, method)
        self._method, self._name = method, name

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        # Until Pydantic has collected the fields of a class, it is the only one to ask.
        fields = vars(owner).get("__pydantic_fields__")
        if fields is None or (instance is not None and self._name in fields):
            raise AttributeError(self._name)
        return self._method.__get__(instance, owner)


class UnknownName(AttributeError):
    """Suggests a similar name, but only when the message is read: `hasattr` needs none."""

    def __str__(self) -> str:
        near = did_you_mean(self.name or "", [each for each in dir(self.obj) if not each.startswith("_")])
        return super().__str__() + (f"; did you mean {near!r}?" if near else "")


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
        """Let the warning through again, now that the class is made."""
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
            raise UnknownName(f"{self.__name__} has no {name!r}", name=name, obj=self)


if TYPE_CHECKING:
    # What a metaclass says to type checkers about fields does not pass on to its subclasses.
    _Meta = _ModelMeta
else:
    _Meta = EntityMeta


class Entity(BaseModel, metaclass=_Meta):
    """A model whose objects are stored as items of a table.

    `table` registers the entity there; a class without it is a base for others. `items`, `per_partition` and
    `growth` say how many there will be, and are for the review and the cost. `discriminator` is what tells its
    items apart from those of other entities; without it, the name of the class. A model that an application has
    already becomes an entity by a class of both: `class StoredOrder(Order, Entity, table=shop)`.

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
    model_config: ClassVar[ConfigDict] = ConfigDict(ignored_types=(Key,), defer_build=True)

    __pksk__: ClassVar[Declaration[Any]]
    __pksk_options__: ClassVar[dict[str, Any]] = {}

    if TYPE_CHECKING:
        # As BaseModel has it: a `type[Entity]` is called with the fields of whichever class it is.
        def __init__(self, /, **data: Any) -> None: ...

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
        from pksk.model.requests.query import Query

        return Query.of_entity(complete_entity(cls), None, attributes)

    @classmethod
    def scan(cls) -> Scan[Self]:
        """All items of the entity, by reading the whole table."""
        from pksk.model.requests.scan import Scan

        return Scan(complete_entity(cls))

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
        made: Self = complete_entity(cls).__pksk__.from_item(dict(item))
        return made

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
        from pksk.values.boto3_form import item_to_boto3

        return item_to_boto3(complete_entity(type(self)).__pksk__.to_item(self))

    def __init_subclass__(
        cls,
        table: Table | None = None,
        items: int | None = None,
        per_partition: int | None = None,
        growth: Any = None,
        discriminator: str | None = None,
        **options: Any,
    ) -> None:
        """Keep the options of the class until its fields are known."""
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
        }
        _check_options(cls.__name__, cls.__pksk_options__)

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        """Take the options that __init_subclass__ has kept already."""

    @classmethod
    def __pydantic_on_complete__(cls) -> None:
        """Check and compile keys and patterns, now that every annotation is known; register what is right."""
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
    """Refuse options that are not what they should be, with the class and the fix."""
    table = options["table"]
    if table is not None and not isinstance(table, Table):
        _reject_option(name, "table", table, "a Table", 'shop = Table("shop") and then table=shop')
    for option in ("items", "per_partition"):
        value = options[option]
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            _reject_option(name, option, value, "a number of items", f"{option}=1000")
    tag = options["discriminator"]
    if tag is not None and (not isinstance(tag, str) or not tag):
        _reject_option(
            name, "discriminator", tag, "the text that tells its items apart", 'discriminator="order"'
        )


def _reject_option(name: str, option: str, value: object, what: str, example: str) -> NoReturn:
    raise DesignError(
        "entity-option",
        f"class {name}: {option}={quote(value)} is not {what}.",
        fix=f"write {example}, for example.",
    )


def _reject_options(name: str, unknown: Mapping[str, Any]) -> NoReturn:
    """Refuse options that neither an entity nor Pydantic knows."""
    first = next(iter(unknown))
    near = did_you_mean(first, _OPTIONS)
    raise DesignError(
        "entity-option",
        f"class {name}: there is no option {first!r}.",
        expected=f"Options are: {', '.join(_OPTIONS)}, and those of Pydantic's ConfigDict.",
        fix=f"did you mean {near!r}?" if near else "take it out.",
    )


for _name, _method in list(vars(Entity).items()):
    if not _name.startswith("_") and isinstance(_method, (classmethod, FunctionType)):
        setattr(Entity, _name, OverridableMethod(_method, _name))
