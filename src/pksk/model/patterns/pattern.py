"""An access pattern: a function that returns requests, with its options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pksk.dataclass import dataclass
from pksk.errors import DesignError, PkskError, did_you_mean
from pksk.model.access_options import AccessOptions
from pksk.model.patterns.named_tables import named_entities, tables_of
from pksk.model.patterns.return_type import STRUCTURAL_ERRORS, ReturnType, check_result, return_type
from pksk.model.sample_values import NoSample, sample_value, sample_vectors

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.schema import Table


@dataclass(frozen=True)
class Outcome:
    """The requests of one call of a pattern, or the reason why there are none."""

    arguments: Mapping[str, Any]
    requests: tuple[Any, ...] = ()
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
        given: dict[str, Any] = {}
        example = self.options.example or {}
        for name, parameter in self.parameters.items():
            if name in example or parameter.default is not parameter.empty:
                continue
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            if name in self.annotations:
                given[name] = sample_value(self.annotations[name], name)
            elif parameter.kind is not parameter.VAR_POSITIONAL:
                raise NoSample(f"parameter {name!r} has no known type")
        return {**example, **sample_vectors(given, self._tables)}

    def _tables(self) -> list[Table]:
        """The tables of the entities that it is about."""
        return tables_of([self.entity] if self.entity else named_entities(self.function))

    def outcome(self, arguments: Mapping[str, Any] | None = None) -> Outcome:
        """The requests for these arguments, or for an example; returns errors instead of raising them."""
        chosen: Mapping[str, Any] = arguments or {}
        try:
            chosen = self.arguments() if arguments is None else arguments
            result = call_by_name(self.function, self.parameters, chosen)
            return Outcome(chosen, check_result(result, self.return_type, self.options.consistent))
        except Exception as error:
            prefix = "needs example: " if arguments is None and self.options.example is None else ""
            text = error.problem if isinstance(error, PkskError) else f"{type(error).__name__}: {error}"
            text = str(error) if isinstance(error, NoSample) else text
            return Outcome(chosen, problem=f"{prefix}{text}", error=error)

    def check_once_complete(self) -> None:
        """Check the pattern, unless one of its entities is incomplete."""
        self.incomplete = tuple(entity for entity in self.incomplete if "__pksk__" not in vars(entity))
        if not self.incomplete:
            self.check()

    def check(self) -> None:
        """Reject a pattern that fails for all arguments; runs when its class is complete."""
        self._check_example()
        error = self.outcome().error
        wrong = isinstance(error, PkskError) and (
            self.options.example is not None or error.code in STRUCTURAL_ERRORS
        )
        if wrong and isinstance(error, PkskError):
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


def call_by_name(
    function: Callable[..., Any], parameters: Mapping[str, inspect.Parameter], given: Mapping[str, Any]
) -> Any:
    """The result of a call; `*` and `**` parameters take a list and a dict, under their own names.

    Example:
        >>> def total(first, /, *rest, scale=1): return (first + sum(rest)) * scale
        >>> call_by_name(total, inspect.signature(total).parameters, {"first": 1, "rest": [2, 3], "scale": 10})
        60
    """
    unknown = [name for name in given if name not in parameters]
    if unknown:
        raise TypeError(f"it takes no argument {unknown[0]!r}")
    signature = inspect.Signature(list(parameters.values()))
    arguments: Any = {name: given[name] for name in parameters if name in given}
    bound = inspect.BoundArguments(signature, arguments)
    bound.apply_defaults()
    return function(*bound.args, **bound.kwargs)


def annotations_of(
    function: Callable[..., Any], parameters: Mapping[str, inspect.Parameter], entity: type | None
) -> dict[str, Any]:
    """The types of what a function takes and returns, as far as their names can be found.

    That of a `*` parameter is a tuple, and that of a `**` parameter a dict, as the function gets them.
    """
    module = inspect.getmodule(function)
    names = vars(module) if module else {}
    local = {entity.__name__: entity} if entity else {}
    found: dict[str, Any] = {}
    for name, annotation in getattr(function, "__annotations__", {}).items():
        try:
            found[name] = _evaluate(annotation, names, local)
        except (NameError, AttributeError, TypeError, SyntaxError):
            continue
    for name, parameter in parameters.items():
        if name in found:
            found[name] = _as_passed(found[name], parameter)
    if entity is not None and "self" in parameters:
        found.setdefault("self", entity)
    return found


def _as_passed(kind: Any, parameter: inspect.Parameter) -> Any:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return tuple[kind, ...]
    return dict[str, kind] if parameter.kind is parameter.VAR_KEYWORD else kind


def _evaluate(annotation: Any, names: Mapping[str, Any], local: Mapping[str, Any]) -> Any:
    if not isinstance(annotation, str):
        return annotation
    # What typing does with the annotations of a whole function, for each by itself: one may not be known yet.
    return eval(annotation, dict(names), dict(local))
