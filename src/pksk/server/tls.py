"""The certificate that a server shows."""

from __future__ import annotations

import ssl
from os import PathLike, fspath
from typing import NoReturn

from pksk.errors import FileProblem, quote_path

__all__ = ["tls_context"]


def tls_context(cert: str | PathLike[str], key: str | PathLike[str] | None = None) -> ssl.SSLContext:
    """What TLS needs: a certificate with its chain, and its key, which may stand in the same file."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.set_alpn_protocols(["http/1.1"])
    shown = (
        quote_path(fspath(cert))
        if key is None
        else f"{quote_path(fspath(cert))} and {quote_path(fspath(key))}"
    )
    _check_readable(cert)
    if key is not None:
        _check_readable(key)
    try:
        # A function for the password, since without one OpenSSL asks on the terminal.
        context.load_cert_chain(cert, key, password=_no_password)
    except (ssl.SSLError, ValueError) as error:
        _refuse(shown, error)
    return context


def _no_password() -> NoReturn:
    raise ValueError("the key has a password")


def _check_readable(path: str | PathLike[str]) -> None:
    try:
        with open(path, "rb"):
            return
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileProblem(
            "server-certificate",
            f"{quote_path(fspath(path))} cannot be read: {reason}.",
            expected="A certificate and its key, each a file in PEM format.",
            fix="check the name and the permissions.",
        ) from error


def _refuse(shown: str, error: Exception) -> NoReturn:
    reason = error.reason if isinstance(error, ssl.SSLError) else str(error)
    what = {
        "KEY_VALUES_MISMATCH": "the key does not belong to the certificate",
        "NO_START_LINE": "there is no key in PEM format",
        None: "there is no certificate, or no key, in PEM format",
    }.get(reason) or str(reason).lower().replace("_", " ")
    raise FileProblem(
        "server-certificate",
        f"{shown} cannot be used for TLS: {what}.",
        expected="A certificate, then those that it was signed with, and its key without a password, in PEM format.",
        fix="name the files that belong together: --cert FILE --key FILE.",
    ) from error
