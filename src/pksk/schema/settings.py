"""Settings of a table: its billing, its stream, its encryption at rest, its tags, and the conventions of its keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias, cast, get_args

from pksk.dataclass import dataclass
from pksk.errors import SchemaError, quote
from pksk.schema.options import check_choice
from pksk.schema.quotas import TAG_COUNT, TAG_KEY_CHARACTERS, TAG_VALUE_CHARACTERS


@dataclass(frozen=True)
class Provisioned:
    """Provisioned capacity, in units per second.

    Example:
        >>> Provisioned(read=100, write=20)
        Provisioned(read=100, write=20)
    """

    read: int = 5
    write: int = 5

    def __post_init__(self) -> None:
        _check_units("Provisioned", "read", self.read)
        _check_units("Provisioned", "write", self.write)


@dataclass(frozen=True)
class OnDemand:
    """On-demand capacity, optionally with a maximum per second.

    Example:
        >>> OnDemand(max_write=500)
        OnDemand(max_read=None, max_write=500)
    """

    max_read: int | None = None
    max_write: int | None = None

    def __post_init__(self) -> None:
        for option, value in (("max_read", self.max_read), ("max_write", self.max_write)):
            if value is not None:
                _check_units("OnDemand", option, value)


Billing: TypeAlias = Provisioned | OnDemand


def _check_units(kind: str, option: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise SchemaError(
            "schema-throughput",
            f"{kind}: {option}={quote(value)} is not a number of capacity units.",
            expected="Units are whole numbers from 1.",
            fix=f"write {option}=5, for example.",
        )


def normalize_billing(where: str, declared: object) -> Billing:
    """The billing from how people write it: "on-demand", `OnDemand(...)` or `Provisioned(...)`."""
    if isinstance(declared, Provisioned | OnDemand):
        return declared
    others = ", or OnDemand(max_read=..., max_write=...), or Provisioned(read=..., write=...)"
    check_choice(where, "billing", declared, ["on-demand"], or_else=others)
    return OnDemand()


def effective_billing(stated: Billing | None, table: Billing) -> Billing:
    """How an index is billed: as it states, or else with the table's units, or else without limit."""
    unstated = table if isinstance(table, Provisioned) else OnDemand()
    return stated or unstated


def throughput_to_wire(billing: Billing) -> dict[str, Any]:
    """The capacity member of CreateTable or of one of its indexes; empty if there is none."""
    if isinstance(billing, Provisioned):
        units = {"ReadCapacityUnits": billing.read, "WriteCapacityUnits": billing.write}
        return {"ProvisionedThroughput": units}
    limits = {"MaxReadRequestUnits": billing.max_read, "MaxWriteRequestUnits": billing.max_write}
    stated = {name: value for name, value in limits.items() if value is not None}
    return {"OnDemandThroughput": stated} if stated else {}


def billing_from_wire(wire: Mapping[str, Any], *, on_demand: bool) -> Billing:
    """The billing of a table or an index, from a request or a description."""
    if on_demand:
        limits = wire.get("OnDemandThroughput") or {}
        return OnDemand(_limit(limits, "MaxReadRequestUnits"), _limit(limits, "MaxWriteRequestUnits"))
    units = wire["ProvisionedThroughput"]
    return Provisioned(read=units["ReadCapacityUnits"], write=units["WriteCapacityUnits"])


def _limit(limits: Mapping[str, int], name: str) -> int | None:
    """The limit, or None; a description shows -1 after a limit was removed."""
    value = limits.get(name, -1)
    return None if value == -1 else value


_VIEWS: Final = ("NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY")


def normalize_stream(where: str, declared: object) -> str | None:
    """The view type of the stream, or None; True means both images."""
    if isinstance(declared, bool):
        return _VIEWS[0] if declared else None
    return check_choice(where, "stream", declared, _VIEWS, or_else=", or True or False")


def stream_to_wire(view: str | None) -> dict[str, Any]:
    """The stream member of CreateTable; empty if there is no stream."""
    return {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": view}} if view else {}


def stream_from_wire(wire: Mapping[str, Any]) -> str | bool:
    """The stream as people write it, from a request or a description."""
    stream = wire.get("StreamSpecification") or {}
    return str(stream["StreamViewType"]) if stream.get("StreamEnabled") else False


AWS_MANAGED: Final = "aws-managed"


def normalize_encryption(where: str, declared: object) -> str | None:
    """None for the key owned by DynamoDB, "aws-managed", or a KMS key."""
    if declared is None or (isinstance(declared, str) and declared):
        return declared
    raise SchemaError(
        "schema-encryption",
        f"{where}: encryption={quote(declared)} does not name a key.",
        expected='It is None, "aws-managed", or the id, ARN or alias of a KMS key.',
        fix="leave it out to use the key owned by DynamoDB, which is free.",
    )


def encryption_to_wire(encryption: str | None) -> dict[str, Any]:
    """The member of CreateTable that names the key; empty for DynamoDB's own."""
    if encryption is None:
        return {}
    key = {} if encryption == AWS_MANAGED else {"KMSMasterKeyId": encryption}
    return {"SSESpecification": {"Enabled": True, "SSEType": "KMS", **key}}


def encryption_from_wire(wire: Mapping[str, Any]) -> str | None:
    """The encryption as people write it, from a request or a description."""
    described = wire.get("SSEDescription") or {}
    if described.get("Status") in {"ENABLED", "ENABLING", "UPDATING"}:
        return str(described.get("KMSMasterKeyArn", AWS_MANAGED))
    specification = wire.get("SSESpecification") or {}
    return str(specification.get("KMSMasterKeyId", AWS_MANAGED)) if specification.get("Enabled") else None


def may_be_same_key(declared: str | None, existing: str | None) -> bool:
    """Whether a table can be encrypted as declared.

    A description contains the ARN of the key, even if AWS manages it, and never an alias. Only keys named by id or
    ARN can be distinguished.
    """
    if declared is None or existing is None:
        return declared == existing
    if AWS_MANAGED in (declared, existing) or "alias/" in declared or "alias/" in existing:
        return True
    return declared.rpartition("/")[2] == existing.rpartition("/")[2]


Tags = tuple[tuple[str, str], ...]


def normalize_tags(where: str, declared: Mapping[str, str] | None) -> Tags:
    """The tags in order of their keys, if DynamoDB accepts them."""
    tags = dict(declared or {})
    for key, value in tags.items():
        problem = _tag_problem(key, value)
        if problem:
            raise SchemaError(
                "schema-tag",
                f"{where}: tag {quote(key)}={quote(value)} {problem}.",
                expected=f"Keys have 1 to {TAG_KEY_CHARACTERS} characters and do not begin with aws:, "
                f"values have up to {TAG_VALUE_CHARACTERS}.",
                fix="shorten or rename it.",
            )
    if len(tags) > TAG_COUNT:
        raise SchemaError(
            "schema-tag",
            f"{where}: there are {len(tags)} tags.",
            expected=f"A table has up to {TAG_COUNT}.",
            fix="remove the least useful ones.",
        )
    return tuple(sorted(tags.items()))


def _tag_problem(key: object, value: object) -> str:
    if not isinstance(key, str) or not isinstance(value, str):
        return "is not of two texts"
    if key.startswith("aws:"):
        return "begins with aws:, which only AWS may write"
    if not 1 <= len(key) <= TAG_KEY_CHARACTERS:
        return f"has a key of {len(key)} characters"
    return f"has a value of {len(value)} characters" if len(value) > TAG_VALUE_CHARACTERS else ""


def tags_to_wire(tags: Tags) -> dict[str, Any]:
    """The tags member of CreateTable; empty if there are none."""
    return {"Tags": [{"Key": key, "Value": value} for key, value in tags]} if tags else {}


def tags_from_wire(wire: Mapping[str, Any]) -> dict[str, str] | None:
    """The tags of a CreateTable request; a description has none (see ListTagsOfResource)."""
    return {tag["Key"]: tag["Value"] for tag in wire.get("Tags") or ()} or None


# Rules of the review that hold only where a table asks for them.
Convention: TypeAlias = Literal[
    "schema-name-first",
    "guessable-partition-keys",
    "sort-key-by-bounds",
    "unique-across-tables",
    "attributes-in-index-keys",
    "meaningful-key-names",
]


def normalize_conventions(where: str, declared: object) -> tuple[Convention, ...]:
    """The conventions that the keys of a table follow, each once."""
    if isinstance(declared, str) or not isinstance(declared, list | tuple | set | frozenset):
        raise SchemaError(
            "schema-option",
            f"{where}: conventions={quote(declared)} is not a list of conventions.",
            expected=f"Valid ones are: {', '.join(map(repr, get_args(Convention)))}.",
            fix='write conventions=["schema-name-first"], for example.',
        )
    names = [check_choice(where, "conventions", each, get_args(Convention)) for each in declared]
    return cast("tuple[Convention, ...]", tuple(dict.fromkeys(names)))
