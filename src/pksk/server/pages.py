"""What a browser, a load balancer or a watcher is shown."""

from __future__ import annotations

from html import escape

import pksk

from .metrics import Metrics
from .request import Request
from .responses import plain_response

__all__ = ["Pages"]

_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>pksk</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem }}
pre {{ background: #f4f4f4; padding: 1rem; overflow-x: auto }}
@media (prefers-color-scheme: dark) {{
  body {{ background: #111; color: #eee }} pre {{ background: #222 }} a {{ color: #8bf }}
}}
</style></head>
<body>
<h1>pksk {version}</h1>
<p>A DynamoDB of account {account} in {region}, kept in {data}. It speaks DynamoDB's JSON at this address.</p>
<h2>Connect</h2>
<pre>import boto3

dynamodb = boto3.resource("dynamodb", endpoint_url="{url}", region_name="{region}"{keys})
print([table.name for table in dynamodb.tables.all()])</pre>
<pre>aws dynamodb list-tables --endpoint-url {url} --region {region}</pre>
<p>{signing}</p>
<p><a href="/health">/health</a> says whether it runs, <a href="/metrics">/metrics</a> what it has done.</p>
</body></html>
"""
_ANY_KEYS = ',\n    aws_access_key_id="any", aws_secret_access_key="any"'


class Pages:
    """The pages of one server."""

    def __init__(self, *, url: str, account: str, region: str, data: str, signed: bool) -> None:
        self._region = region
        self._page = _PAGE.format(
            version=escape(pksk.__version__),
            account=escape(account),
            region=escape(region),
            data=escape(data),
            url=escape(url),
            keys="" if signed else _ANY_KEYS,
            signing=(
                "Requests must be signed with one of the keys that the server was given."
                if signed
                else "Any credentials will do: signatures are not checked."
            ),
        )

    def answer(self, request: Request, metrics: Metrics, connections: int) -> bytes:
        """The page that a request asks for."""
        path = request.target.partition(b"?")[0]
        keeps_alive = request.keeps_alive
        if request.method not in {b"GET", b"HEAD"}:
            made = plain_response(405, "Use POST for requests of DynamoDB's.\n", keeps_alive=keeps_alive)
        elif path == b"/" and b"text/html" in request.by_name.get(b"accept", b""):
            made = plain_response(200, self._page, kind="text/html", keeps_alive=keeps_alive)
        elif path in {b"/", b"/health"}:
            text = f"healthy: dynamodb.{self._region}.amazonaws.com \n"
            made = plain_response(200, text, keeps_alive=keeps_alive)
        elif path == b"/metrics":
            text = metrics.text(connections=connections)
            made = plain_response(200, text, kind="text/plain; version=0.0.4", keeps_alive=keeps_alive)
        else:
            made = plain_response(404, "There is / and /health and /metrics.\n", keeps_alive=keeps_alive)
        return made.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" if request.method == b"HEAD" else made
