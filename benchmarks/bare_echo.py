"""The floor: the HTTP layer of pksk's server with one answer of 1 KB ready, and no engine behind it."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import httptools
import orjson
import uvloop

from benchmarks.engine_subjects import item

BODY = orjson.dumps({"Item": item(0, 0)})
ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\n"
    b"x-amzn-RequestId: 0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123\r\n"
    b"x-amz-crc32: 2745614147\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
)


class Echo(asyncio.Protocol):
    """Reads requests and answers each with the same bytes."""

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._parser = httptools.HttpRequestParser(self)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        self._transport.write(ANSWER)


async def serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Echo, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1])))
