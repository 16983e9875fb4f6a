"""Policies: every version of each, a copy of the latest, and the settings of the whole system."""

from __future__ import annotations

from typing import Annotated, Literal

from pksk import Attribute, Entity, F, Get, Key, Put, Query, Transaction, access, transaction

from .tables import reference


class Policy(Entity):
    policy_type: Annotated[str, Attribute("policyType")]
    policy_id: Annotated[int, Attribute("policyId")]
    version: int
    rules: dict[str, str] = {}


class PolicyVersion(Policy, table=reference, discriminator="policy"):
    """One version of a policy. Versions are not padded: v10 sorts before v2."""

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


class LatestPolicy(Policy, table=reference, discriminator="latestPolicy"):
    """A copy of the latest version, under a key that does not change; only these are in the list of policies."""

    primary = Key("policy::{policy_type}::{policy_id}", "latest")
    by_type = Key("policy::{policy_type}", "true", index="entityRelationship-index")

    @access()
    @classmethod
    def one(cls, policy_type: str, policy_id: int) -> Get[LatestPolicy]:
        """A policy as it is at this moment."""
        return cls.primary.get(policy_type=policy_type, policy_id=policy_id).consistently()

    @access(items=20)
    @classmethod
    def of_type(cls, policy_type: str) -> Query[LatestPolicy]:
        """The policies of one type, each in its latest version."""
        return cls.by_type(policy_type=policy_type)


@access(example={"version": PolicyVersion(policy_type="booking", policy_id=1, version=2)})
def publish_version(version: PolicyVersion) -> Transaction:
    """A version of a policy and the copy of it, if the copy is of the one before: both, or neither."""
    latest = Put(LatestPolicy(**version.model_dump()))
    follows = latest.if_absent() if version.version == 1 else latest.when(F.version == version.version - 1)
    return transaction(Put(version).if_absent(), follows)


class Config(Entity, table=reference, discriminator="config", items=3):
    """Settings of the whole system."""

    scope: Literal["admin", "public", "featureFlags"]
    values: dict[str, str] = {}

    primary = Key("config", "{scope}")

    @access()
    @classmethod
    def one(cls, scope: Literal["admin", "public", "featureFlags"]) -> Get[Config]:
        """The settings of a scope."""
        return cls.primary.get(scope=scope)
