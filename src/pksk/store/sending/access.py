"""What a service says to whom it does not know, and to whom it does not let do this."""

from __future__ import annotations

from typing import Any, Final

from pksk.client import ServiceError
from pksk.errors import AccessRefused

__all__ = ["ACCESS", "access_refused"]

# By code, what is to be done: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/CommonErrors.html
_RENEW: Final = "renew the credentials, as by 'aws sso login', and check the clock of this machine."
_CORRECT: Final = "correct the credentials: the keys of the environment, or those of the profile."
_ALLOW: Final = "allow it in the IAM policy of whoever these credentials are, or use others."
ACCESS: Final = {
    "AccessDenied": _ALLOW,
    "AccessDeniedException": _ALLOW,
    "NotAuthorized": _ALLOW,
    "OptInRequired": "enable the region, or DynamoDB, for the account.",
    "ExpiredToken": _RENEW,
    "ExpiredTokenException": _RENEW,
    "RequestExpired": _RENEW,
    "TokenRefreshRequired": _RENEW,
    "IncompleteSignature": _CORRECT,
    "IncompleteSignatureException": _CORRECT,
    "InvalidAccessKeyId": _CORRECT,
    "InvalidClientTokenId": _CORRECT,
    "InvalidSignatureException": _CORRECT,
    "MissingAuthenticationToken": _CORRECT,
    "MissingAuthenticationTokenException": _CORRECT,
    "SignatureDoesNotMatch": _CORRECT,
    "UnrecognizedClientException": _CORRECT,
}


def access_refused(name: str, about: Any, error: ServiceError) -> AccessRefused:
    """The error for credentials that are not taken, or do not suffice.

    Example:
        >>> expired = ServiceError("ExpiredTokenException", "The security token included in the request is expired")
        >>> access_refused("Get of Order", None, expired).service_code
        'ExpiredTokenException'
    """
    made = AccessRefused("store-access-refused", f"{name}: {error}", fix=ACCESS[error.code])
    made.request, made.service_code = about, error.code
    return made
