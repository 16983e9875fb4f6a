"""What stands behind an error of botocore: the errors that led to it, and its text."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["causes", "in_one_line"]


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """What led to an error of botocore: what it names as such, and so on.

    Example:
        >>> from botocore.exceptions import EndpointConnectionError
        >>> refused = EndpointConnectionError(endpoint_url="http://localhost", error=ConnectionRefusedError("no"))
        >>> list(causes(refused))
        [ConnectionRefusedError('no')]
    """
    met = {id(error)}
    waiting: list[object] = [getattr(error, "kwargs", {}).get("error")]
    while waiting:
        cause = waiting.pop()
        if isinstance(cause, BaseException) and id(cause) not in met:
            met.add(id(cause))
            yield cause
            waiting += [cause.__cause__, cause.__context__, *cause.args]


def in_one_line(error: Exception | None) -> str:
    r"""The class of an error and what it says.

    Example:
        >>> in_one_line(ValueError("no such\n thing."))
        'ValueError: no such thing.'
    """
    if error is None:
        return "this version of botocore does not show its answers. Fix: pip install --upgrade botocore aiobotocore."
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}".rstrip(":. ") + "."
