"""Connections that break, and what no client should say."""

from __future__ import annotations

import hashlib
import http.server
import io
import random
import socket
import struct
import threading
import time
import zipfile
from collections.abc import Callable

from polyrhythm import live


class Proxy:
    """Passes connections on to an address, until it is told to disturb one. Threads of its own."""

    def __init__(self, address: str) -> None:
        host, port = address.rsplit(":", 1)
        self._target = host, int(port)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._lock = threading.Lock()
        self._pairs: list[list[socket.socket]] = []
        self._next: dict[int, str] = {}  # what is to be done to what a connection says next
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self._target, 10)
            except OSError:
                client.close()
                continue
            pair = [client, server]
            with self._lock:
                self._pairs.append(pair)
            server.settimeout(None)
            for one, other in (pair, pair[::-1]):
                threading.Thread(target=self._pass, args=(one, other, pair), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket, pair: list[socket.socket]) -> None:
        try:
            while data := one.recv(1 << 16):
                what = self._next.pop(id(pair), "")
                if what == "garble":
                    spoilt = bytearray(data)
                    spoilt[len(data) // 2] ^= 0x5A
                    data = bytes(spoilt)
                elif what == "cut":
                    other.sendall(data[: len(data) // 2])
                    break
                elif what.startswith("stall"):
                    time.sleep(float(what[5:]))
                other.sendall(data)
        except OSError:
            pass
        with self._lock:
            if pair in self._pairs:
                self._pairs.remove(pair)
        for each in pair:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            each.close()

    def disturb(self, r: random.Random, kinds: list[str]) -> str:
        """Do something to a connection; says what, or "" if there is none."""
        with self._lock:
            pair = r.choice(self._pairs) if self._pairs else None
        if pair is None:
            return ""
        what = r.choice(kinds)
        if what == "reset":
            for each in pair:
                try:
                    each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        else:
            self._next[id(pair)] = f"stall{r.uniform(0.5, 8)}" if what == "stall" else what
        return {"reset": "connection broken off", "garble": "connection garbled", "cut": "connection cut in a message",
                "stall": "connection stalled"}[what]  # fmt: skip

    def close(self) -> None:
        self._listener.close()


def _say(address: str, data: bytes, then: float = 0.0, take: int = 1 << 16) -> None:
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), 10) as s:
        s.settimeout(0.3)
        try:
            s.sendall(data)
            if then:
                time.sleep(then)
            if take:
                s.recv(take)
        except OSError:
            pass


def _upgrade(path: str, address: str) -> bytes:
    more = "Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n" if path == "/foxglove" else ""
    return (f"GET {path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{more}\r\n"
            ).encode()  # fmt: skip


def _frame(data: bytes, code: int = 2) -> bytes:
    """A WebSocket frame with a mask of zeros."""
    size = len(data)
    head = bytes([0x80 | size]) if size < 126 else struct.pack(">BH", 0xFE, size)
    return bytes([0x80 | code]) + head + b"\0\0\0\0" + data


def _spoilt(r: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(r.randint(1, 4)):
        out[r.randrange(len(out))] = r.randrange(256)
    return bytes(out[: r.randint(1, len(out))])


_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_PATHS = ["/", "/live/v1/scene", "/live/v1/meshes", "/live/v1/order", "/metrics", "/live/v1/decisions?id=%00", "/../x"]


def garbage(r: random.Random, web: str, grpc: str) -> str:
    """Say something to a server that no client should; returns what kind of thing."""
    hello = live._wire["Hello"](join=live._wire["JoinRequest"](name="x" * r.randint(1, 60))).SerializeToString()
    intent = live._wire["Intent"](push=live._wire["Push"](body="trunk", force=[1.0, 2.0, 3.0])).SerializeToString()
    kinds: dict[str, Callable[[], None]] = {
        "garbage to the port of pages": lambda: _say(web, r.randbytes(r.randint(1, 4000))),
        "garbage to the port of gRPC": lambda: _say(grpc, r.choice([b"", _PREFACE]) + r.randbytes(r.randint(1, 4000))),
        "garbage after the upgrade": lambda: _say(web, _upgrade("/live/v1", web) + r.randbytes(r.randint(1, 2000))),
        "garbage for a greeting": lambda: _say(web, _upgrade("/live/v1", web) + _frame(_spoilt(r, hello))),
        "garbage for an intent": lambda: _say(
            web, _upgrade("/live/v1", web) + _frame(hello) + b"".join(_frame(_spoilt(r, intent)) for _ in range(5))
        ),
        "garbage in Foxglove's protocol": lambda: _say(
            web, _upgrade("/foxglove", web) + _frame(_spoilt(r, b'{"op":"subscribe","subscriptions":[{"id":1}]}'), 1)
        ),
        "half a request, and silence": lambda: _say(
            web, _upgrade("/live/v1", web)[: r.randint(1, 60)], then=0.3, take=0
        ),
        "a request of too much": lambda: _say(web, b"GET /" + b"a" * r.randint(1 << 14, 1 << 19)),
        "download broken off": lambda: _say(
            web, f"GET {r.choice(_PATHS)} HTTP/1.1\r\nHost: {web}\r\nRange: bytes={r.randint(0, 99)}-\r\n\r\n".encode(),
            take=r.randint(1, 300),
        ),
    }  # fmt: skip
    kind = r.choice(sorted(kinds))
    try:
        kinds[kind]()
    except OSError:
        pass  # it is closed to those: what counts is that it goes on
    return kind


class Index:
    """A package index with one wheel, of which it sends the second half when it is told to."""

    def __init__(self, r: random.Random) -> None:
        self.data = r.randbytes(1 << 20)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as wheel:
            wheel.writestr("thing/data", self.data)
            wheel.writestr(
                "thing-1.0.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            wheel.writestr("thing-1.0.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: thing\nVersion: 1.0.0\n")
            wheel.writestr("thing-1.0.0.dist-info/RECORD", "")
        body, half, whole = packed.getvalue(), threading.Event(), threading.Event()
        self.digest, self._half, self._whole = hashlib.sha256(body).hexdigest(), half, whole
        name = "thing-1.0.0-py3-none-any.whl"
        page = f'<a href="/{name}#sha256={self.digest}">{name}</a>'.encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                text = body if self.path.endswith(".whl") else page
                self.send_response(200)
                kind = "application/octet-stream" if text is body else "text/html"
                for key, value in (("Content-Type", kind), ("Content-Length", str(len(text)))):
                    self.send_header(key, value)
                self.end_headers()
                try:
                    self.wfile.write(text[: len(text) // 2])
                    if text is body:
                        half.set()
                        whole.wait(20)
                    self.wfile.write(text[len(text) // 2 :])
                except OSError:
                    pass

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def hold(self) -> None:
        """From now on send half of the wheel only."""
        self._half.clear()
        self._whole.clear()

    def wait(self) -> None:
        """Wait until half of the wheel has been sent."""
        self._half.wait(60)

    def go_on(self) -> None:
        self._whole.set()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
