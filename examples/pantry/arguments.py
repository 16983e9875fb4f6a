"""What commands take: texts that are not empty, and dates of years that make sense."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import click

from .errors import NothingWritten, OutOfYears
from .forms import check_year, words

__all__ = ["DAY", "MINUTE", "TEXT"]

if TYPE_CHECKING:
    _Text = click.ParamType[str]
else:
    _Text = click.ParamType  # before click 8.2 it takes no type


class Text(_Text):
    """A text with at least one word; an empty one is wrong usage, and not a key that nothing stands under."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The words, with one space between them."""
        try:
            return words("text", value)
        except NothingWritten as nothing:
            self.fail(str(nothing), param, ctx)


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


TEXT: Final = Text()
DAY: Final = Moment(["%Y-%m-%d"])
MINUTE: Final = Moment(["%Y-%m-%dT%H:%M"])
