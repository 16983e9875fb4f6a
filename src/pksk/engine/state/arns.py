"""Names and ARNs of tables, and which of them belong to this engine."""

from __future__ import annotations

from typing import Final, NamedTuple

from pksk.client import ServiceError
from pksk.engine import texts
from pksk.engine.request.shape import is_table_name
from pksk.engine.service_errors import service_error, validation
from pksk.engine.settings import Settings

_PARTS: Final = 6


class Resource(NamedTuple):
    """What an ARN names: a table, and perhaps an index or a stream of it."""

    region: str
    account: str
    table: str
    within: str = ""


def is_arn(name: str) -> bool:
    """Whether a name is an ARN. Table names have no colon."""
    return name.startswith("arn:")


def table_arn(settings: Settings, name: str) -> str:
    """The ARN of a table."""
    return f"arn:aws:dynamodb:{settings.region}:{settings.account}:table/{name}"


def index_arn(arn: str, index: str) -> str:
    """The ARN of an index of the table with this ARN."""
    return f"{arn}/index/{index}"


def stream_arn(arn: str, label: str) -> str:
    """The ARN of a stream of the table with this ARN."""
    return f"{arn}/stream/{label}"


def backup_arn(arn: str, number: str) -> str:
    """The ARN of a backup of the table with this ARN."""
    return f"{arn}/backup/{number}"


def read_arn(arn: str) -> Resource | None:
    """The resource of an ARN; None if it is not a DynamoDB table or part of one."""
    parts = arn.split(":", _PARTS - 1)
    if len(parts) != _PARTS or parts[0] != "arn" or parts[2] != "dynamodb":
        return None
    kind, _, rest = parts[5].partition("/")
    table, slash, within = rest.partition("/")
    if kind != "table" or not table or (slash and not within):
        return None
    return Resource(parts[3], parts[4], table, within)


def require_own_account(settings: Settings, resource: Resource, arn: str) -> None:
    """Raise for a resource of another account."""
    if resource.account != settings.account:
        raise access_denied(settings, arn)


def access_denied(settings: Settings, arn: str) -> ServiceError:
    """The error for an ARN that the account may not use."""
    return service_error(
        "AccessDeniedException",
        f"User: arn:aws:iam::{settings.account}:root is not authorized to perform this operation "
        f"on resource: {arn} because no resource-based policy allows it",
    )


def table_name(settings: Settings, name_or_arn: str) -> str:
    """The table name of a name or ARN; raises for ARNs of other resources, accounts and regions."""
    if not is_arn(name_or_arn):
        return name_or_arn
    resource = read_arn(name_or_arn)
    if resource is None or resource.within or not is_table_name(resource.table):
        raise validation(texts.foreign_arn(name_or_arn))
    require_own_account(settings, resource, name_or_arn)
    if resource.region != settings.region:
        raise validation(texts.foreign_arn(name_or_arn))
    return resource.table
