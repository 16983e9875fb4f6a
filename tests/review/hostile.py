"""A design with markup, control characters and changes of direction wherever an author can write text."""

from __future__ import annotations

HOSTILE = '''
shop = Table("shop", indexes=[GSI("by-kind", pk="g1", sk="g2"), GSI("every", pk="g3")])


class Order(Entity, table=shop):
    order_id: str
    kind: Literal["</script><script>alert(1)</script>", "[x](http://127.0.0.1:9/link)"]

    primary = Key("<img src=http://127.0.0.1:9/x onerror=alert(1)>#\\x1b[31m\\u202e{order_id}", "`|*_[a](b)")
    by_kind = Key("{kind}", "{order_id}", index="by-kind")
    # pksk: accept constant-partition-key: <b onclick=alert(1)>``` \\x07
    every = Key("<svg/onload=alert(1)>&amp;", index="every")

    @access(rate=5000, item_size=400)
    @classmethod
    def add(cls, order: "Order") -> Put["Order"]:
        """<script>alert(1)</script>"""
        return Put(order)


class Page(Entity, table=shop):
    number: int

    primary = Key("<i>_[a](http://127.0.0.1:9)|`&lt;", "{number}")
'''
