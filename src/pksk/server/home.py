"""The page that people see: what runs, and how to connect."""

from __future__ import annotations

from html import escape
from typing import Final

from pksk.engine.settings import Settings

from .version import version

__all__ = ["home"]

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
<p>A DynamoDB, with its streams, speaks at this address in DynamoDB's JSON.</p>
<dl>
<dt>Endpoint</dt><dd id="url">{url}</dd>
<dt>Region</dt><dd>{region}</dd>
<dt>Account</dt><dd>{account}</dd>
<dt>Tables are kept in</dt><dd>{data}</dd>
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
<p><a href="/health">/health</a> says whether it works, <a href="/metrics">/metrics</a> what it has done.</p>
</body></html>
"""
_ANY_KEYS: Final = '\n    aws_access_key_id="any",\n    aws_secret_access_key="any",'
_ANY_JS_KEYS: Final = '\n  credentials: { accessKeyId: "any", secretAccessKey: "any" },'


def home(settings: Settings, *, url: str, data: str, signed: bool) -> str:
    """The page of a server.

    Example:
        >>> "us-east-1" in home(Settings(), url="http://127.0.0.1:8000", data="memory", signed=False)
        True
    """
    return _PAGE.format(
        version=escape(version()),
        account=escape(settings.account),
        region=escape(settings.region),
        data=escape(data),
        url=escape(url),
        keys="" if signed else escape(_ANY_KEYS),
        js_keys="" if signed else escape(_ANY_JS_KEYS),
        signing="those that the server was given; every call must be signed with one of them"
        if signed
        else "any will do, as signatures are not checked",
    )
