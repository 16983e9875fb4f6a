"""Designs for the rule about indexes of which one value is read."""

_JOBS = """
    shop = Table("shop", indexes=[GSI("by-state", pk="g1", sk="g2")])
    State = Enum("State", ["OPEN", "DONE"])

    class Job(Entity, table=shop, items=1_000_000):
        team: str
        job_id: str
        state: {type}
        primary = Key("JOB#{{job_id}}", "META")
        by_state = Key({key}, index="by-state"{when})

        {patterns}
    """

_OPEN = """@access(rate=10, items=20)
        @classmethod
        def waiting(cls, team: str, first: int = 20) -> Query["Job"]:
            return cls.by_state(team=team, state={value}).limit(first)
"""
_OF_STATE = """@access(rate=10, items=20)
        @classmethod
        def of_state(cls, team: str, {name}: {type}) -> Query["Job"]:
            return cls.by_state(team=team, state={name})
"""
_LITERAL = 'Literal["open", "done"]'
_KEY = '"{state}#{team}", "{job_id}"'
_WAITING = _OPEN.format(value='"open"')

# The index has the attributes of fields, which every item has.
_OWN_ATTRIBUTES = (
    _JOBS.replace('pk="g1", sk="g2"', 'pk="state", sk="job_id"')
    .format(type=_LITERAL, key='"{state}", "{job_id}"', when="", patterns=_WAITING)
    .replace("team=team, ", "")
)

FOUND = {
    "a literal whose attribute is the key of the index": ("warning", _OWN_ATTRIBUTES),
    "a literal": ("warning", _JOBS.format(type=_LITERAL, key=_KEY, when="", patterns=_WAITING)),
    "a member of an Enum": (
        "warning",
        _JOBS.format(type="State", key=_KEY, when="", patterns=_OPEN.format(value="State.OPEN")),
    ),
    "a flag": (
        "warning",
        _JOBS.format(
            type="bool",
            key='"{state:open/done}#{team}", "{job_id}"',
            when="",
            patterns=_OPEN.format(value="True"),
        ),
    ),
    "in two access patterns": (
        "warning",
        _JOBS.format(
            type=_LITERAL,
            key=_KEY,
            when="",
            patterns=_WAITING + "\n        " + _WAITING.replace("waiting", "longest_waiting"),
        ),
    ),
}

SILENT = {
    "an argument with the name of the field": _JOBS.format(
        type=_LITERAL, key=_KEY, when="", patterns=_OF_STATE.format(name="state", type=_LITERAL)
    ),
    "an argument of the same type": _JOBS.format(
        type=_LITERAL, key=_KEY, when="", patterns=_OF_STATE.format(name="wanted", type=_LITERAL)
    ),
    "a flag that may decide": _JOBS.format(
        type=_LITERAL,
        key=_KEY,
        when="",
        patterns=_WAITING.replace("first: int = 20", "done: bool = False").replace(
            '"open").limit(first)', '"done" if done else "open")'
        ),
    ),
    "another access pattern that asks for the other value": _JOBS.format(
        type=_LITERAL,
        key=_KEY,
        when="",
        patterns=_WAITING + "\n        " + _WAITING.replace("waiting", "done").replace('"open"', '"done"'),
    ),
    "another access pattern of which no example call is known": _JOBS.format(
        type=_LITERAL,
        key=_KEY,
        when="",
        patterns=_WAITING
        + """
        @access(rate=10, items=20)
        @classmethod
        def unclear(cls, team: str, wanted: dict[str, str]) -> Query["Job"]:
            return cls.by_state(team=team, state=wanted["state"])
""",
    ),
    "a sparse index": _JOBS.format(
        type=_LITERAL, key=_KEY, when=', when=F.state == "open"', patterns=_WAITING
    ),
    "a text, of which other values are not known": _JOBS.format(
        type="str", key=_KEY, when="", patterns=_WAITING
    ),
}

MECHANICAL = {"a literal", "a flag", "in two access patterns"}

FIXED = {"a literal": SILENT["a sparse index"]}
