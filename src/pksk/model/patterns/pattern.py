"""An access pattern: a function that returns requests, with its options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from math import prod
from types import GenericAlias
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pksk.dataclass import dataclass
from pksk.errors import DesignError, PkskError, did_you_mean
from pksk.keys.parts.part_types import field_type
from pksk.model.access_options import AccessOptions
from pksk.model.fields.operands import field_rule
from pksk.model.patterns.named_tables import named_entities, tables_of
from pksk.model.patterns.return_type import STRUCTURAL_ERRORS, ReturnType, check_result, return_type
from pksk.model.requests.request import Request
from pksk.model.sample_values import NoSample, field_sample, sample_value, sample_vectors
from pksk.model.storing.attributes import value_count
from pksk.schema import Table

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity
    from pksk.model.entity_key import EntityKey
    from pksk.model.storing.attributes import Field
    from pksk.partitions import Spread


@dataclass(frozen=True)
class Outcome:
    """The requests of one call of a pattern, or the reason why there are none."""

    arguments: Mapping[str, Any]
    requests: tuple[Request, ...] = ()
    problem: str = ""
    error: Exception | None = None


class Pattern:
    """A registered access pattern; calling it calls the function.

    `incomplete` are entities with unresolved forward references; the pattern is checked when they are complete.

    Example:
        >>> from pksk import Entity, Get, Key, Table, access
        >>> shop = Table("shop")
        >>> class Order(Entity, table=shop):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> @access(rate="100/day")
        ... def one(id: str) -> Get[Order]:
        ...     return Order.primary.get(id=id)
        >>> shop.patterns[0].outcome().requests[0].request["Key"]["pk"]
        {'S': 'ORDER#id'}
    """

    name: str
    function: Callable[..., Any]
    options: AccessOptions
    entity: type[Entity] | None
    return_type: ReturnType
    incomplete: tuple[type, ...]

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        options: AccessOptions,
        entity: type[Entity] | None = None,
    ) -> None:
        self.name, self.function, self.options, self.entity = name, function, options, entity
        self.return_type = return_type(name, getattr(function, "__annotations__", {}).get("return"))
        self.incomplete = ()

    def __repr__(self) -> str:
        return f"Pattern({self.name!r}, {self.kind})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    @property
    def kind(self) -> str:
        """The kind of request that it returns."""
        return self.return_type.kind

    @property
    def description(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """What the function takes, without the class."""
        return inspect.signature(self.function).parameters

    @cached_property
    def annotations(self) -> Mapping[str, Any]:
        """The types of the parameters, evaluated where their names can be found."""
        return annotations_of(self.function, self.parameters, self.entity)

    def arguments(self) -> dict[str, Any]:
        """The arguments of an example call: those declared, the rest from defaults and annotations."""
        samples: dict[str, Any] = {}
        example = self.options.example or {}
        for name, parameter in self.parameters.items():
            if name in example or parameter.default is not parameter.empty:
                continue
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            if name in self.annotations:
                samples[name] = self._sample(name)
            elif parameter.kind is not parameter.VAR_POSITIONAL:
                raise NoSample(f"parameter {name!r} has no known type")
        return {**example, **sample_vectors(samples, self._tables)}

    def _sample(self, name: str) -> Any:
        """A value for a parameter; with the name and type of a field, it obeys the rules of the field."""
        sample = sample_value(self.annotations[name], name)
        declaration = vars(self.entity).get("__pksk__") if self.entity else None
        if declaration is None or name not in declaration.fields or declaration.fields[name].computed:
            return sample
        if type(sample) is str:
            return field_rule(declaration, name).sample(sample)
        of_field = field_sample(name, declaration.entity.__pydantic_fields__[name])
        return of_field if type(of_field) is type(sample) else sample

    def _tables(self) -> list[Table]:
        """The tables of the entities that it is about."""
        return tables_of([self.entity] if self.entity else named_entities(self.function))

    def outcome(self, arguments: Mapping[str, Any] | None = None) -> Outcome:
        """The requests for these arguments, or for an example; returns errors instead of raising them.

        If made-up entities of one type cannot be used together, the example has different ones.
        """
        outcome = self._outcome_of(arguments)
        if outcome.error is None or arguments is not None:
            return outcome
        unlike = _unlike(outcome.arguments)
        again = outcome if unlike == outcome.arguments else self._outcome_of(unlike)
        return outcome if again.error is not None else again

    def _outcome_of(self, arguments: Mapping[str, Any] | None) -> Outcome:
        used: Mapping[str, Any] = arguments or {}
        try:
            used = self.arguments() if arguments is None else arguments
            result = call_by_name(self.function, self.parameters, used)
            return Outcome(used, check_result(result, self.return_type, self.options.consistent))
        except Exception as error:
            prefix = "needs example: " if arguments is None and self.options.example is None else ""
            text = error.problem if isinstance(error, PkskError) else f"{type(error).__name__}: {error}"
            text = str(error) if isinstance(error, NoSample) else text
            return Outcome(used, problem=f"{prefix}{text}", error=error)

    def check_once_complete(self) -> None:
        """Check the pattern, unless one of its entities is incomplete."""
        self.incomplete = tuple(entity for entity in self.incomplete if "__pksk__" not in vars(entity))
        if not self.incomplete:
            self.check()

    def check(self) -> None:
        """Reject a pattern that fails for all arguments; runs when its class is complete."""
        self._check_example()
        self._check_spread()
        outcome = self.outcome()
        self._check_key_spread(outcome.requests)
        error = outcome.error
        has_example = self.options.example is not None
        if isinstance(error, PkskError) and (has_example or error.code in STRUCTURAL_ERRORS):
            raise DesignError(
                "access-does-not-fit",
                f"{self.name}: {error.problem}",
                expected=error.expected,
                fix=error.fix,
            ) from error

    def _check_example(self) -> None:
        for name in self.options.example or {}:
            if name not in self.parameters:
                near = did_you_mean(name, self.parameters)
                raise DesignError(
                    "access-example",
                    f"{self.name}: the example has {name!r}, which is not a parameter.",
                    expected=f"Parameters are: {', '.join(self.parameters) or 'none'}.",
                    fix=f"did you mean {near!r}?" if near else "remove it.",
                )

    def _check_spread(self) -> None:
        if not isinstance(self.options.spread, Mapping):
            return
        owners = [self.entity] if self.entity else named_entities(self.function)
        declared = [vars(each)["__pksk__"] for each in owners if "__pksk__" in getattr(each, "__dict__", {})]
        fields = dict.fromkeys(name for each in declared for name in each.fields)
        for name in self.options.spread:
            if name not in fields:
                near = did_you_mean(name, fields)
                raise DesignError(
                    "access-option",
                    f"{self.name}: spread= has {name!r}, which is not a field.",
                    expected=f"Fields are: {', '.join(fields)}.",
                    fix=f"did you mean {near!r}?" if near else "name a field of the partition key.",
                )
        self._check_field_spreads(self.options.spread, declared)

    def _check_field_spreads(
        self, spreads: Mapping[str, Spread], declared: Sequence[Declaration[Any]]
    ) -> None:
        """Reject a spread over more values than the type of its field has."""
        from pksk.partitions.spread import check_values

        for name, spread in spreads.items():
            counts = [value_count(each.fields[name]) or 0 for each in declared if name in each.fields]
            if all(counts):
                check_values(spread, max(counts), f"{self.name}: spread= of {name!r}", "its type has")

    def _check_key_spread(self, requests: Sequence[Request]) -> None:
        """Reject a spread over more partition keys than the types of their fields allow."""
        spread = self.options.spread
        if spread is None or isinstance(spread, Mapping):
            return
        from pksk.partitions.spread import check_values

        for key, fields in _named_keys(requests):
            counts = [value_count(fields[name]) or 0 for name in key.partition_fields]
            if all(counts):
                most = prod(counts) * (key.shard.count if key.shard else 1)
                check_values(spread, most, f"{self.name}: spread=", f"the partition key of {key.name} has")


def _unlike(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with entities of one type under keys of their own."""
    unlike: dict[str, Any] = {}
    for name, value in arguments.items():
        same = sum(type(each) is type(value) for each in unlike.values())
        declaration = vars(type(value)).get("__pksk__")
        unlike[name] = _moved(declaration, value, same) if declaration is not None and same else value
    return unlike


def _moved(declaration: Declaration[Any], value: Any, number: int) -> Any:
    """A made-up entity with another value in the first text or number of its key."""
    for name in declaration.primary.fields:
        part, kind = getattr(value, name), field_type(declaration.fields[name].annotation).type
        if kind in (str, int) and type(part) is kind:
            return value.model_copy(update={name: f"{part}{number + 1}" if kind is str else part + number})
    return value


def _named_keys(requests: Sequence[Request]) -> Iterator[tuple[EntityKey, Mapping[str, Field]]]:
    """The keys whose partitions some requests name, with the fields of their entities."""
    from pksk.model.requests.keyed_request import ItemRequest
    from pksk.model.requests.query import Query

    for request in requests:
        if isinstance(request, Query):
            for each in request.key_queries:
                if request.plan.keys is not None and request.plan.keys.key in each.declaration.keys.values():
                    yield request.plan.keys.key, each.declaration.fields
        elif isinstance(request, ItemRequest):
            yield request.declaration.primary, request.declaration.fields


def call_by_name(
    function: Callable[..., Any], parameters: Mapping[str, inspect.Parameter], values: Mapping[str, Any]
) -> Any:
    """The result of a call; `*` and `**` parameters take a list and a dict, under their own names.

    Example:
        >>> def total(first, /, *rest, scale=1): return (first + sum(rest)) * scale
        >>> call_by_name(total, inspect.signature(total).parameters, {"first": 1, "rest": [2, 3], "scale": 10})
        60
    """
    unknown = [name for name in values if name not in parameters]
    if unknown:
        raise TypeError(f"it takes no argument {unknown[0]!r}")
    signature = inspect.Signature(list(parameters.values()))
    arguments: Any = {name: values[name] for name in parameters if name in values}
    bound = inspect.BoundArguments(signature, arguments)
    bound.apply_defaults()
    return function(*bound.args, **bound.kwargs)


def annotations_of(
    function: Callable[..., Any], parameters: Mapping[str, inspect.Parameter], entity: type | None
) -> dict[str, Any]:
    """The types of what a function takes and returns, as far as their names can be types.

    That of a `*` parameter is a tuple, and that of a `**` parameter a dict, as the function gets them.
    """
    module = inspect.getmodule(function)
    names = vars(module) if module else {}
    local = {entity.__name__: entity} if entity else {}
    types: dict[str, Any] = {}
    for name, annotation in getattr(function, "__annotations__", {}).items():
        try:
            types[name] = _evaluate(annotation, names, local)
        except (NameError, AttributeError, TypeError, SyntaxError):
            continue
    for name, parameter in parameters.items():
        if name in types:
            types[name] = _as_passed(types[name], parameter)
    if entity is not None and "self" in parameters:
        types.setdefault("self", entity)
    return types


def _as_passed(kind: Any, parameter: inspect.Parameter) -> Any:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return tuple[kind, ...]
    return dict[str, kind] if parameter.kind is parameter.VAR_KEYWORD else kind


def _evaluate(annotation: Any, names: Mapping[str, Any], local: Mapping[str, Any]) -> Any:
    # What typing does with the annotations of a whole function, for each by itself: one may not be known yet.
    # A quoted annotation is a string twice where annotations are postponed.
    for _ in range(2):
        if isinstance(annotation, str):
            annotation = eval(annotation, dict(names), dict(local))
    if type(annotation) is GenericAlias:  # list["Order"] has the name as it is written
        container: Any = get_origin(annotation)
        return container[tuple(_evaluate(each, names, local) for each in get_args(annotation))]
    return annotation
