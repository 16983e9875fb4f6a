"""Designs for the rule about the order of times without a zone."""

_READINGS = """
    readings = Table("readings")

    class Reading(Entity, table=readings):
        sensor: str
        at: {type}
        primary = Key("SENSOR#{{sensor}}", "{sort}"{options})

        @access(rate=1, items=10, example={{"start": datetime(2025, 3, 1)}})
        @classmethod
        def found(cls, sensor: str, start: datetime) -> Query["Reading"]:
            return cls.primary(sensor=sensor{query}
    """
_LAST = ").reverse().limit(10)"

FOUND = {
    "the last times of day": (
        "info",
        _READINGS.format(type="NaiveDatetime", sort="{at:%Y-%m-%dT%H:%M:%S.%f}", options="", query=_LAST),
    ),
    "the first hours from a time on": (
        "info",
        _READINGS.format(
            type="NaiveDatetime",
            sort="{at:%Y-%m-%dT%H}",
            options=', one_per_bucket=("at",)',
            query=", at=gte(start)).limit(5)",
        ),
    ),
}

SILENT = {
    "a time with a zone": _READINGS.format(type="AwareDatetime", sort="{at}", options="", query=_LAST),
    "a local day": _READINGS.format(type="date", sort="{at}", options="", query=_LAST),
    "the day of a local time": _READINGS.format(
        type="NaiveDatetime", sort="{at:%Y-%m-%d}", options=', one_per_bucket=("at",)', query=_LAST
    ),
    "all times": _READINGS.format(
        type="NaiveDatetime", sort="{at:%Y-%m-%dT%H:%M:%S.%f}", options="", query=")"
    ),
}

FIXED = {"the last times of day": SILENT["a time with a zone"]}
