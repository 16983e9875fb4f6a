"""What is wrong with how a client is set up, where that is why a request cannot be sent."""

from __future__ import annotations

import os
from ssl import SSLCertVerificationError, SSLError
from typing import Any, Final

from .aws_options import AwsOptions
from .causes import causes, in_one_line

__all__ = ["misconfigured"]

_KEYS: Final = "Fix: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile of ~/.aws."
_LOOK: Final = "Fix: see to the credentials; 'aws sts get-caller-identity' tells whether they can be had."
_ENDPOINT_VARIABLES: Final = (
    "AWS_ENDPOINT_URL_DYNAMODB",
    "AWS_ENDPOINT_URL_DYNAMODB_STREAMS",
    "AWS_ENDPOINT_URL",
)


def misconfigured(error: Exception | None, options: AwsOptions, *, is_sent: bool) -> str:
    """One line with the fix, where the next attempt would fail as this one did; else nothing.

    Example:
        >>> from botocore.exceptions import NoCredentialsError
        >>> misconfigured(NoCredentialsError(), AwsOptions(profile="shop"), is_sent=False)
        "the profile 'shop' has no AWS credentials. Fix: give it some: aws configure --profile shop."
        >>> misconfigured(TimeoutError(), AwsOptions(), is_sent=False)
        ''
    """
    return _of_tls(error, options) if is_sent else _of_settings(error, options)


def _of_settings(error: Exception | None, options: AwsOptions) -> str:
    from botocore import exceptions as known

    # Whoever has the keys may be out of reach for now, as DynamoDB itself may be.
    if isinstance(error, known.HTTPClientError | known.ConnectionError):
        return ""
    if isinstance(error, known.NoCredentialsError):
        return _no_credentials(options)
    if isinstance(error, known.PartialCredentialsError):
        missing = error.kwargs.get("cred_var")
        return f"of the AWS credentials, {missing} is missing. Fix: give it too, or take the others out."
    if isinstance(error, known.NoRegionError):
        return "there is no region. Fix: name one, such as region='eu-west-1', or set AWS_DEFAULT_REGION."
    if isinstance(error, ValueError) and (variable := _variable()):
        return (
            f"{variable} is {os.environ[variable]!r}. Fix: set it to http://host:port or https://host:port."
        )
    if isinstance(error, known.BotoCoreError | known.ClientError):
        return f"{in_one_line(error)} {_LOOK}"
    return in_one_line(error) if isinstance(error, ValueError | RuntimeError | ImportError) else ""


def _no_credentials(options: AwsOptions) -> str:
    if options.profile is None:
        return f"there are no AWS credentials. {_KEYS}"
    return (
        f"the profile {options.profile!r} has no AWS credentials. "
        f"Fix: give it some: aws configure --profile {options.profile}."
    )


def _variable() -> str:
    """The variable by which the environment names an endpoint."""
    return next((name for name in _ENDPOINT_VARIABLES if os.environ.get(name)), "")


def _of_tls(error: Exception | None, options: AwsOptions) -> str:
    found: list[Any] = [each for each in causes(error) if isinstance(each, SSLError)]
    if refused := [each for each in found if isinstance(each, SSLCertVerificationError)]:
        # aiohttp's has no such message, but one that has stands behind it.
        told = [text for each in refused if (text := getattr(each, "verify_message", ""))]
        return (
            f"its TLS certificate was refused: {told[0] if told else refused[0]}. "
            "Fix: name the file of the authority that signed it, by AWS_CA_BUNDLE."
        )
    if any(
        getattr(each, "reason", None) in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE") for each in found
    ):
        plain = (options.endpoint or "").replace("https://", "http://")
        return f"it does not speak TLS. Fix: write {plain or 'http://'}, or the port that does."
    return ""
