"""aiobotocore's HTTP session without redirects, which botocore's own does not follow either."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

from aiobotocore.httpsession import AIOHTTPSession

__all__ = ["DirectSession"]


class DirectSession(AIOHTTPSession):  # type: ignore[misc]  # aiobotocore has no types
    """Sends a request to where it is addressed, and nowhere else.

    aiohttp would send a write to whatever address an answer names, and the answer from there would be taken for that of
    the endpoint. It can be told so with each request only, which are all made in aiobotocore.
    """

    async def _get_session(self, *arguments: Any) -> Any:
        session = await super()._get_session(*arguments)
        return SimpleNamespace(request=partial(session.request, allow_redirects=False))
