"""Tags and resource policies of tables and streams, which requests name by ARN."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from unicodedata import category

import orjson

from pksk.client import ServiceError
from pksk.engine import texts
from pksk.engine.core import NO_BODY, Answer, Core, Request
from pksk.engine.service_errors import invalid_parameter, resource_not_found, service_error, validation
from pksk.engine.state import Table, arns, table_record
from pksk.schema.quotas import TAG_COUNT


def _read_arn(arn: str) -> arns.Resource:
    """The table, or the stream of one, that an ARN names."""
    if not arns.is_arn(arn):
        raise invalid_parameter(f"ARNs must start with 'arn:': {arn}")
    resource = arns.read_arn(arn)
    part = "" if resource is None else resource.within.partition("/")[0]
    if part == "index":
        raise invalid_parameter(
            f"Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {arn}"
        )
    if resource is None or part not in {"", "stream"}:
        raise invalid_parameter(f"Provided Arn is not a DynamoDB resource arn: {arn}")
    return resource


def _existing(core: Core, resource: arns.Resource) -> Table | None:
    table = core.catalogue.find(resource.table)
    return None if table is None or table_record.status_of(table.record) == "CREATING" else table


def _tagged_table(core: Core, arn: str) -> Table:
    """The table that an ARN names; only tables have tags."""
    resource = _read_arn(arn)
    arns.require_own_account(core.settings, resource, arn)
    if resource.within or resource.region != core.settings.region:
        raise validation(texts.foreign_arn(arn))
    table = _existing(core, resource)
    if table is None:
        raise resource_not_found(f"ResourceArn: {arn}")
    return table


# With whitespace of all kinds, as long as it is a separator.
_TAG_CHARACTERS: Final = frozenset("+-=._:/@")
_TAG_CATEGORIES: Final = frozenset("LNZ")
_LONGEST_KEY: Final = 128
_LONGEST_VALUE: Final = 256


def _check_key(key: str | None) -> str:
    """The key of a tag, if it is valid."""
    if key is None or not 1 <= len(key) <= _LONGEST_KEY or not _has_tag_characters(key):
        raise validation(f"The Tag Key provided is invalid, Key: {'null' if key is None else key}")
    if key.lower().startswith("aws:"):
        raise validation(f"Tag Key cannot be prefixed with aws:, Key: {key}")
    return key


def _check_value(value: str | None) -> str:
    """The value of a tag, if it is valid."""
    if value is None or len(value) > _LONGEST_VALUE or not _has_tag_characters(value):
        raise validation(f"The Tag Value provided is invalid, Value: {'null' if value is None else value}")
    return value


def _has_tag_characters(text: str) -> bool:
    """Whether a text has only letters, digits, separators and a few signs, of any script."""
    return all(each in _TAG_CHARACTERS or category(each)[0] in _TAG_CATEGORIES for each in text)


def add_tags(before: Mapping[str, str], tags: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """A table's tags after adding some; a tag with an existing key replaces it."""
    added: dict[str, str] = {}
    for tag in tags:
        key, value = _check_key(tag.get("Key")), _check_value(tag.get("Value"))
        if key in added:
            raise validation(f"Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}")
        added[key] = value
    after = {**before, **added}
    if len(after) > TAG_COUNT:
        raise validation(texts.TOO_MANY_TAGS)
    return after


def tag_resource(core: Core, request: Request) -> Answer:
    """Answer a TagResource request."""
    if not request["Tags"]:
        raise validation("Atleast one Tag needs to be provided as Input.")
    add_tags({}, request["Tags"])
    with core.catalogue.change() as change:
        table = _tagged_table(core, request["ResourceArn"])
        record = table_record.require_active(table.record)
        change.save(table, {**record, "Tags": add_tags(record.get("Tags", {}), request["Tags"])})
    return NO_BODY


def untag_resource(core: Core, request: Request) -> Answer:
    """Answer an UntagResource request; a missing tag is not an error."""
    removed = request["TagKeys"]
    if not removed:
        raise validation("Atleast one Tag Key needs to be provided as Input.")
    for key in removed:
        _check_key(key)
    if len(removed) > TAG_COUNT:
        raise validation(texts.TOO_MANY_TAGS)
    with core.catalogue.change() as change:
        table = _tagged_table(core, request["ResourceArn"])
        record = table_record.require_active(table.record)
        remaining = {key: value for key, value in record.get("Tags", {}).items() if key not in removed}
        change.save(table, {**record, "Tags": remaining})
    return NO_BODY


def list_tags_of_resource(core: Core, request: Request) -> Answer:
    """Answer a ListTagsOfResource request. All tags fit one page, so the page after any token is empty."""
    table = _tagged_table(core, request["ResourceArn"])
    tags = {} if "NextToken" in request else table.record.get("Tags", {})
    return {"Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}


def _table_with_policy(core: Core, arn: str) -> tuple[Table, str]:
    """The table of an ARN, and what it names within it: nothing, or `stream/` and a label."""
    resource = _read_arn(arn)
    if resource.account != core.settings.account:
        raise validation(
            "This action is only supported by accounts that match the resource owner\u2019s account."
        )
    if resource.region != core.settings.region:
        raise invalid_parameter(f"Invalid resource Arn: {arn}")
    table = _existing(core, resource)
    if table is None:
        raise resource_not_found(f"Table: {resource.table}")
    labels = {f"stream/{stream['label']}" for stream in table.record.get("streams", ())}
    if resource.within and resource.within not in labels:
        label = resource.within.partition("/")[2]
        raise service_error(
            "ResourceNotFoundException",
            f"Requested resource not found: Stream: {label} not found for Table: {resource.table}",
        )
    return table, resource.within


# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-considerations.html
_MOST_BYTES: Final = 20 * 1024
_NO_POLICY_EXPECTED: Final = "NO_POLICY"


def check_policy(document: str) -> None:
    """Check that a policy is a JSON object and not too large."""
    if len(document.encode()) > _MOST_BYTES:
        raise invalid_parameter("Maximum policy size of 20480 bytes exceeded")
    try:
        parsed = orjson.loads(document)
    except ValueError:
        raise validation(texts.POLICY_NOT_JSON) from None
    if parsed is None:
        raise invalid_parameter("Invalid policy document: This text appears not to be a policy")
    if not isinstance(parsed, dict):
        raise validation(texts.POLICY_NOT_JSON)


def new_policy(document: str, before: table_record.Policy | None, now: float) -> table_record.Policy:
    """A policy with its revision, which changes only with the document."""
    if before is not None and before["Policy"] == document:
        return before
    revision = int(now * 1000)
    if before is not None:
        revision = max(revision, int(before["RevisionId"]) + 1)
    return {"Policy": document, "RevisionId": str(revision)}


def _check_revision(arn: str, table: Table, before: table_record.Policy | None, expected: str | None) -> None:
    """Raise if a change expects another revision."""
    if expected is None:
        return
    if expected == _NO_POLICY_EXPECTED:
        if before is not None:
            raise _other_revision(
                f"{texts.NO_POLICY}Requested policy update expecting none to be present for table {table.name}, "
                f"but a policy exists with revision id {before['RevisionId']}."
            )
    elif before is None:
        raise _policy_not_found(arn)
    elif before["RevisionId"] != expected:
        raise _other_revision(
            f"{texts.NO_POLICY}Requested update for policy with revision id {expected}, but the policy associated to "
            f"target table {table.name} has revision id {before['RevisionId']}."
        )


def _other_revision(message: str) -> ServiceError:
    return service_error("PolicyNotFoundException", message)


def _policy_not_found(arn: str) -> ServiceError:
    """The error for a policy that does not exist."""
    return service_error("PolicyNotFoundException", f"{texts.NO_POLICY}{arn}")


def put_resource_policy(core: Core, request: Request) -> Answer:
    """Answer a PutResourcePolicy request."""
    check_policy(request["Policy"])
    with core.catalogue.change() as change:
        table, within = _table_with_policy(core, request["ResourceArn"])
        record = table_record.require_active(table.record)
        policies = record.get("policies", {})
        before = policies.get(within)
        _check_revision(request["ResourceArn"], table, before, request.get("ExpectedRevisionId"))
        policy = new_policy(request["Policy"], before, change.now)
        change.save(table, {**record, "policies": {**policies, within: policy}})
        return {"RevisionId": policy["RevisionId"]}


def get_resource_policy(core: Core, request: Request) -> Answer:
    """Answer a GetResourcePolicy request."""
    table, within = _table_with_policy(core, request["ResourceArn"])
    policy = table.record.get("policies", {}).get(within)
    if policy is None:
        raise _policy_not_found(request["ResourceArn"])
    return dict(policy)


def delete_resource_policy(core: Core, request: Request) -> Answer:
    """Answer a DeleteResourcePolicy request; a missing policy is not an error."""
    with core.catalogue.change() as change:
        table, within = _table_with_policy(core, request["ResourceArn"])
        record = table_record.require_active(table.record)
        policies = record.get("policies", {})
        before = policies.get(within)
        _check_revision(request["ResourceArn"], table, before, request.get("ExpectedRevisionId"))
        if before is None:
            return {}
        remaining = {resource: policy for resource, policy in policies.items() if resource != within}
        change.save(table, {**record, "policies": remaining})
        return {"RevisionId": before["RevisionId"]}
