"""An access pattern: a function that returns a request, and what is known about its calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pksk.errors import DesignError, PkskError, did_you_mean
from pksk.model.patterns.declared import Declared
from pksk.model.patterns.kinds import kind_of
from pksk.model.patterns.sample import NoSample, sample

if TYPE_CHECKING:
    from pksk.model.entity import Entity

__all__ = ["Outcome", "Pattern"]

# A pattern that fails in one of these ways is wrong whatever it is called with.
_STRUCTURAL = {
    "key-unknown-part",
    "key-missing-part",
    "plan-missing-part",
    "plan-not-projected",
    "plan-consistent-index",
    "plan-get-index",
    "entity-unknown-field",
    "where-no-index",
    "access-consistent",
    "bounds-gap",
    "bounds-unordered",
}


@dataclass(frozen=True)
class Outcome:
    """What a pattern gave for one call: its requests, or why there are none."""

    arguments: Mapping[str, Any]
    requests: tuple[Any, ...] = ()
    problem: str = ""
    error: Exception | None = None


class Pattern:
    """A registered access pattern; calling it calls the function.

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
    declared: Declared
    entity: type[Entity] | None
    kind: str

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        declared: Declared,
        entity: type[Entity] | None = None,
    ) -> None:
        self.name, self.function, self.declared, self.entity = name, function, declared, entity
        annotations = getattr(function, "__annotations__", {})
        self.kind = kind_of(name, annotations.get("return"))

    def __repr__(self) -> str:
        return f"Pattern({self.name!r}, {self.kind})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

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
        names = vars(inspect.getmodule(self.function)) if inspect.getmodule(self.function) else {}
        local = {self.entity.__name__: self.entity} if self.entity else {}
        found = {}
        for name, annotation in getattr(self.function, "__annotations__", {}).items():
            try:
                found[name] = _evaluated(annotation, names, local)
            except (NameError, AttributeError, TypeError, SyntaxError):
                continue
        return found

    def arguments(self) -> dict[str, Any]:
        """The arguments of an example call: those declared, the rest from defaults and annotations."""
        given = dict(self.declared.example or {})
        for name, parameter in self.parameters.items():
            if name in given or parameter.default is not parameter.empty:
                continue
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            if name not in self.annotations:
                raise NoSample(f"parameter {name!r} has no type that is known")
            given[name] = sample(self.annotations[name], name)
        return given

    def outcome(self, arguments: Mapping[str, Any] | None = None) -> Outcome:
        """What the pattern gives for these arguments, or for an example; an error is told, not raised."""
        chosen: Mapping[str, Any] = arguments or {}
        try:
            chosen = self.arguments() if arguments is None else arguments
            result = self.function(**chosen)
            requests = tuple(result) if isinstance(result, list | tuple) else (result,)
            for request in requests:
                _planned(request)
                self._check_consistent(request)
        except Exception as error:
            asks = "needs example: " if arguments is None and self.declared.example is None else ""
            text = error.problem if isinstance(error, PkskError) else f"{type(error).__name__}: {error}"
            text = str(error) if isinstance(error, NoSample) else text
            return Outcome(chosen, problem=f"{asks}{text}", error=error)
        return Outcome(chosen, requests)

    def check(self) -> None:
        """Refuse a pattern that cannot fit, whatever it is called with; called when its class is complete."""
        self._check_example()
        error = self.outcome().error
        wrong = isinstance(error, PkskError) and (
            self.declared.example is not None or error.code in _STRUCTURAL
        )
        if wrong and isinstance(error, PkskError):
            raise DesignError(
                "access-does-not-fit",
                f"{self.name}: {error.problem}",
                expected=error.expected,
                fix=error.fix,
            ) from error

    def _check_consistent(self, request: Any) -> None:
        wanted, reads = self.declared.consistent, getattr(request, "consistent", None)
        if wanted is None or reads is None or wanted == reads:
            return
        raise DesignError(
            "access-consistent",
            f"it is declared with consistent={wanted}, and its request reads {'' if reads else 'not '}consistently.",
            fix="return the request with .consistently()." if wanted else "take .consistently() out.",
        )

    def _check_example(self) -> None:
        for name in self.declared.example or {}:
            if name not in self.parameters:
                near = did_you_mean(name, self.parameters)
                raise DesignError(
                    "access-example",
                    f"{self.name}: the example has {name!r}, which is no parameter.",
                    expected=f"Parameters are: {', '.join(self.parameters) or 'none'}.",
                    fix=f"did you mean {near!r}?" if near else "take it out.",
                )


def _evaluated(annotation: Any, names: Mapping[str, Any], local: Mapping[str, Any]) -> Any:
    if not isinstance(annotation, str):
        return annotation
    # What typing does with the annotations of a whole function, for each by itself: one may not be known yet.
    return eval(annotation, dict(names), dict(local))


def _planned(request: Any) -> None:
    """Plan the request, so that what it cannot do is known here."""
    if getattr(request, "needs", None):
        return  # a store reads what is missing first
    for attribute in ("plan", "requests", "request"):
        if hasattr(type(request), attribute):
            getattr(request, attribute)
            return
    raise TypeError(f"{request!r} is no request")
