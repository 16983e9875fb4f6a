"""The packages of the extra `aws`, loaded when a client is made."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pksk.errors import NotConfigured

__all__ = ["library"]


def library(name: str) -> Any:
    """A module of botocore or aiobotocore; an error that says how to install it where it is missing.

    Example:
        >>> library("botocore.session").Session.__name__
        'Session'
    """
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise NotConfigured(
            "aws-missing",
            f"{package} cannot be imported ({error}), and calls over the network are made with it.",
            fix="pip install botocore aiobotocore.",
        ) from error
