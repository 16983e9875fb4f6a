"""Entities in a module of their own, which access patterns refer to through the module."""

from __future__ import annotations

from pksk import Entity, Key, Table

shop = Table("shop-of-a-module")


class Order(Entity, table=shop):
    customer: str
    id: str
    primary = Key("CUST#{customer}", "ORDER#{id}")
