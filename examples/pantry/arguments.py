"""What commands take: days and minutes of years that make sense."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

import click

from .errors import OutOfYears
from .forms import check_year

__all__ = ["DAY", "MINUTE"]


class Moment(click.DateTime):
    """A day or a minute of a year in which somebody may have come."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The moment, if its year makes sense."""
        moment: datetime = super().convert(value, param, ctx)
        try:
            check_year(moment)
        except OutOfYears as out:
            self.fail(str(out), param, ctx)
        return moment


DAY: Final = Moment(["%Y-%m-%d"])
MINUTE: Final = Moment(["%Y-%m-%dT%H:%M"])
