"""Policies: every version of each, a copy of the latest, and the settings of the whole system."""

from __future__ import annotations

from typing import Annotated, Literal

from pksk import Attribute, Entity, F, Get, Key, Put, Query, Transaction, access, transaction

from .tables import reference


class PolicyVersion(Entity, table=reference, discriminator="policy"):
    """One version of a policy. Versions are not padded: v10 sorts before v2."""

    policy_type: Annotated[str, Attribute("policyType")]
    policy_id: Annotated[int, Attribute("policyId")]
    version: int
    rules: dict[str, str] = {}

    primary = Key("policy::{policy_type}::{policy_id}", "v{version}")

    @access()
    @classmethod
    def one(cls, policy_type: str, policy_id: int, version: int) -> Get[PolicyVersion]:
        """One version of a policy."""
        return cls.primary.get(policy_type=policy_type, policy_id=policy_id, version=version)

    @access(items=10)
    @classmethod
    def of_policy(cls, policy_type: str, policy_id: int) -> Query[PolicyVersion]:
        """All versions of a policy, without the copy of the latest."""
        return cls.primary(policy_type=policy_type, policy_id=policy_id)


class LatestPolicy(Entity, table=reference, discriminator="latestPolicy"):
    """A copy of the latest version, under a key that does not change; only these are in the list of policies."""

    policy_type: Annotated[str, Attribute("policyType")]
    policy_id: Annotated[int, Attribute("policyId")]
    version: int
    rules: dict[str, str] = {}

    primary = Key("policy::{policy_type}::{policy_id}", "latest")
    by_type = Key("policy::{policy_type}", "true", index="entityRelationship-index")

    @access()
    @classmethod
    def one(cls, policy_type: str, policy_id: int) -> Get[LatestPolicy]:
        """A policy as it is now."""
        return cls.primary.get(policy_type=policy_type, policy_id=policy_id)

    @access(items=20)
    @classmethod
    def of_type(cls, policy_type: str) -> Query[LatestPolicy]:
        """The policies of one type, each in its latest version."""
        return cls.by_type(policy_type=policy_type)


@access()
def publish_policy(version: PolicyVersion) -> Transaction:
    """A new version of a policy: its own item, and the copy, in one transaction."""
    latest = LatestPolicy.primary.update(policy_type=version.policy_type, policy_id=version.policy_id)
    change = latest.set(version=version.version, rules=version.rules).when(F.version == version.version - 1)
    return transaction(Put(version).if_absent(), change)


class Config(Entity, table=reference, discriminator="config", items=3):
    """Settings of the whole system."""

    scope: Literal["admin", "public", "featureFlags"]
    values: dict[str, str] = {}

    primary = Key("config", "{scope}")

    @access()
    @classmethod
    def one(cls, scope: Literal["admin", "public", "featureFlags"]) -> Get[Config]:
        """The settings of one kind."""
        return cls.primary.get(scope=scope)
