"""The pages for browsers, load balancers and monitoring."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final

import orjson

from pksk.engine import Engine
from pksk.engine.settings import Settings

from . import http
from .metrics import Metrics

_PROMETHEUS: Final = "text/plain; version=0.0.4"
_OK: Final = 200
_HEAD_END: Final = b"\r\n\r\n"


class Pages:
    """The pages of a server, and its answers to all requests that are not operations."""

    def __init__(
        self,
        engine: Engine,
        *,
        home: Callable[[], str],
        cors: http.Cors,
        metrics: Metrics,
        connections: Callable[[], int],
    ) -> None:
        self._engine = engine
        self._home = home
        self._cors = cors
        self._metrics = metrics
        self._connections = connections

    def answer(self, request: http.Request) -> bytes:
        """The answer to a request."""
        if request.method == b"GET":
            return self._page(request)
        if request.method == b"HEAD":
            return self._page(request).partition(_HEAD_END)[0] + _HEAD_END
        if request.method == b"OPTIONS" and b"origin" in request.by_name:
            lines = f"x-amzn-RequestId: {http.new_request_id()}\r\n{self._cors.preflight(request)}"
            return http.response(200, b"", lines, keeps_alive=request.keeps_alive)
        return self._service(request, 404, http.NO_SUCH_PAGE)

    def _page(self, request: http.Request) -> bytes:
        path, keeps_alive = request.path, request.keeps_alive
        if path == b"/" and b"text/html" in request.by_name.get(b"accept", b""):
            return http.plain_response(200, self._home(), kind="text/html", keeps_alive=keeps_alive)
        if path in {b"/", b"/ping"}:
            return self._service(request, 200, http.health_text(self._engine.settings.region))
        if path == b"/health":
            status, text = self._health()
            return http.plain_response(status, text, kind="application/json", keeps_alive=keeps_alive)
        if path == b"/metrics":
            text = self._metrics.text(connections=self._connections())
            return http.plain_response(200, text, kind=_PROMETHEUS, keeps_alive=keeps_alive)
        return self._service(request, 404, http.NO_SUCH_PAGE)

    def _health(self) -> tuple[int, str]:
        """Whether the engine answers; it counts as healthy while it writes, without a wait."""
        status = self._engine.answer("ListTables", b'{"Limit":1}')[0] if self._engine.is_free() else _OK
        document = {
            "status": "healthy" if status == _OK else "failing",
            "version": version(),
            "uptime_seconds": round(self._metrics.uptime, 3),
        }
        return _OK if status == _OK else 503, orjson.dumps(document).decode() + "\n"

    def _service(self, request: http.Request, status: int, text: str) -> bytes:
        """A response that AWS sends too."""
        return http.service_response(
            status,
            text.encode(),
            http.new_request_id(),
            kind="text/plain",
            extra=self._cors.headers(request),
            keeps_alive=request.keeps_alive,
        )


_PAGE: Final = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>pksk {version}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<style>
:root {{ color-scheme: light dark }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 3rem auto; padding: 0 1rem }}
pre {{ background: #8881; padding: 1rem; border-radius: 6px; overflow-x: auto }}
dl {{ display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem }}
dt {{ font-weight: 600 }} dd {{ margin: 0; overflow-wrap: anywhere }}
</style></head>
<body>
<h1>pksk {version}</h1>
<p>This server answers the API of DynamoDB and DynamoDB Streams.</p>
<dl>
<dt>Endpoint</dt><dd id="url">{url}</dd>
<dt>Region</dt><dd>{region}</dd>
<dt>Account</dt><dd>{account}</dd>
<dt>Tables</dt><dd>{data}</dd>
<dt>Credentials</dt><dd>{signing}</dd>
</dl>
<h2>Connect</h2>
<p>Python:</p>
<pre>import boto3

dynamodb = boto3.resource(
    "dynamodb",
    endpoint_url="{url}",
    region_name="{region}",{keys}
)
print([table.name for table in dynamodb.tables.all()])</pre>
<p>The command line:</p>
<pre>aws dynamodb list-tables --region {region} \\
    --endpoint-url {url}</pre>
<p>JavaScript:</p>
<pre>import {{ DynamoDBClient, ListTablesCommand }} from "@aws-sdk/client-dynamodb";

const client = new DynamoDBClient({{
  endpoint: "{url}",
  region: "{region}",{js_keys}
}});
console.log((await client.send(new ListTablesCommand({{}}))).TableNames);</pre>
<p>Most SDKs also read <code>AWS_ENDPOINT_URL_DYNAMODB={url}</code> from the environment.</p>
<p><a href="/health">/health</a> is for load balancers, <a href="/metrics">/metrics</a> for Prometheus.</p>
</body></html>
"""
_ANY_KEYS: Final = '\n    aws_access_key_id="any",\n    aws_secret_access_key="any",'
_ANY_JS_KEYS: Final = '\n  credentials: { accessKeyId: "any", secretAccessKey: "any" },'


def home_page(settings: Settings, *, url: str, data: str, signed: bool) -> str:
    """The page that says how to connect."""
    from html import escape  # loads a table of all entities, which slows down the start of a server

    return _PAGE.format(
        version=escape(version()),
        account=escape(settings.account),
        region=escape(settings.region),
        data=escape(data),
        url=escape(url),
        keys="" if signed else escape(_ANY_KEYS),
        js_keys="" if signed else escape(_ANY_JS_KEYS),
        signing="every request must be signed with one of the configured access keys"
        if signed
        else "any; signatures are not checked",
    )


def version() -> str:
    """The version of pksk; imported by name, since a server may not import the layers above it."""
    return str(import_module("pksk").__version__)
