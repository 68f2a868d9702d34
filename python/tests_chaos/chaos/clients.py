"""A process with many clients of a live world, which watch, steer, break off and come back.

    python -m chaos.clients SEED FOLDER NAME WEBSOCKETS GRPC NUMBER PROGRAMS

WEBSOCKETS and GRPC are addresses. NUMBER clients come by WebSocket, PROGRAMS by gRPC with polyrhythm.live. In FOLDER
they keep what they were told, a line each: NAME.acks has the numbers of their intents, NAME.frames what each frame
looked like, NAME.wrong what cannot be, such as a frame that another client had otherwise. One more argument says that
what they are told is garbled: then they keep only what they did themselves, in NAME.events.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import random
import socket
import struct
import sys
import threading
import time
from pathlib import Path
from typing import Any

from polyrhythm import live

wire = live._wire
LEAST, BREAK = 1.0, 0.02  # s between the intents of a client; the share of them at which it breaks off


class Told:
    """What all clients of the process were told."""

    def __init__(self, folder: Path, name: str, compare: bool) -> None:
        self._files = {kind: (folder / f"{name}.{kind}").open("a", buffering=1)
                       for kind in ("acks", "frames", "wrong", "events")}  # fmt: skip
        self._seen: dict[int, str] = {}
        self._compare, self._lock = compare, threading.Lock()

    def write(self, kind: str, line: object) -> None:
        self._files[kind].write(f"{line}\n")

    def ack(self, number: int) -> None:
        if number > 0 and self._compare:
            self.write("acks", number)

    def frame(self, f: live.Frame) -> None:
        if not self._compare:
            return
        digest = hashlib.sha1(struct.pack("<q", f.n))
        for values in (f.episode, f.ns, f.reward, f.poses, *(f.channels[name] for name in sorted(f.channels))):
            digest.update(values.tobytes())
        text = digest.hexdigest()[:16]
        with self._lock:
            first = self._seen.setdefault(f.number, text)
            if first is text:
                self.write("frames", f"{f.number} {text}")
                self._seen.pop(f.number - 4096, None)
            elif first != text:
                self.write("wrong", f"frame {f.number} of step {f.n} is not what another client had")


def intent(r: random.Random, worlds: int) -> Any:
    """A random intent, valid or not. None pauses for long: an operator lets the run go on."""
    world, gauss = r.randrange(worlds), lambda s: s * r.gauss(0, 1)
    kind: dict[str, Any]
    match r.randrange(15):
        case 0 | 1:
            kind = {
                "action": {"world": world, "values": [r.uniform(-1, 1) for _ in range(12)], "steps": r.randrange(30)}
            }
        case 2:
            kind = {"action": {"world": world, "values": [float("nan")] * 12}}
        case 3 | 4:
            kind = {"command": {"world": world, "name": "velocity", "values": [r.random(), 0, 0][: 3 * r.randrange(2)]}}
        case 5 | 6 | 7:
            kind = {"push": {"world": world, "body": "trunk", "force": [gauss(100), 0, 50], "steps": r.randrange(20)}}
        case 8:
            kind = {"push": {"world": r.randrange(9), "body": "tail", "velocity": [1]}}
        case 9:
            kind = {"reset": {"world": world, "seed": r.getrandbits(60)}}
        case 10:
            kind = {"pause": {"paused": r.random() < 0.1}}
        case 11:
            kind = {"speed": {"factor": r.choice([0.5, 1, 1, 1.5, -1, 1e300])}}
        case 12:
            kind = {"step": {"count": r.randrange(4)}}
        case 13:
            kind = {"label": {"world": world, "task": r.choice(["", "stand", "two\nlines"])}}
        case _:
            kind = {"edit": {"edits": json.dumps(r.choice(EDITS))}}
    return wire["Intent"](id=r.getrandbits(40), **kind)


EDITS: list[Any] = [
    [{"set_rate": {"name": "Capture", "rate": "25"}}], [{"set_rate": {"name": "Capture", "rate": "30"}}],
    [{"set_rate": {"name": "Robot", "rate": "10"}}], [{"set_rate": {"name": "Robot", "rate": "12"}}],
    [{"set_rate": {"name": "Sensors", "rate": "100"}}], [{"set_priority": {"name": "recorder", "priority": 50}}],
    [{"toggle_binding": {"name": "controller", "enabled": True}}], [{"set_rate": {"name": "Robot", "rate": "0"}}],
    [{"set_rate": {"name": "Robot", "rate": "9" * 20}}], {"ste_rate": 1},
]  # fmt: skip


class WebSocket:
    """The least of a client: text and masks, and no courtesy at the end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def dial(cls, address: str, path: str = "/live/v1") -> WebSocket:
        host, port = address.rsplit(":", 1)
        reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 25)
        key = base64.b64encode(os.urandom(16)).decode()
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())  # fmt: skip
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)
        if b" 101 " not in head.split(b"\r\n")[0]:
            writer.close()
            raise ConnectionError(head.split(b"\r\n")[0].decode(errors="replace"))
        return cls(reader, writer)

    def send(self, data: bytes, code: int = 2) -> None:
        size, mask = len(data), os.urandom(4)
        head = bytes([0x80 | code])
        head += (bytes([0x80 | size]) if size < 126 else struct.pack(">BH", 0xFE, size) if size < 1 << 16
                 else struct.pack(">BQ", 0xFF, size))  # fmt: skip
        masked = (int.from_bytes(data, "big") ^ int.from_bytes((mask * (size // 4 + 1))[:size], "big")).to_bytes(
            size, "big"
        )
        self.writer.write(head + mask + masked)

    async def read(self) -> bytes:
        """The next binary message; pings are answered."""
        while True:
            first, second = await self.reader.readexactly(2)
            size = second & 127
            if size == 126:
                (size,) = struct.unpack(">H", await self.reader.readexactly(2))
            elif size == 127:
                (size,) = struct.unpack(">Q", await self.reader.readexactly(8))
            if size > 1 << 25:
                raise ConnectionError("too much")
            data = await self.reader.readexactly(size)
            if first & 15 == 9:
                self.send(data, 10)
            elif first & 15 == 8:
                raise ConnectionError("closed")
            elif first & 15 in (0, 2):
                return data

    def reset(self) -> None:
        """Break off as a cable that is pulled, without a word."""
        sock = self.writer.get_extra_info("socket")
        if sock is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


async def page(r: random.Random, address: str, told: Told, name: str) -> None:
    """A client by WebSocket, for ever: it breaks off at times, and comes back with its session or without."""
    decoder = live.Decoder()
    while True:
        socket_ = None
        try:
            socket_ = await WebSocket.dial(address)
            join = {"name": name}
            if decoder.frame is not None:
                join |= {"session": decoder.session, "after": decoder.frame.number}
            socket_.send(wire["Hello"](join=wire["JoinRequest"](**join)).SerializeToString())
            steering = asyncio.ensure_future(steer(r, socket_, told))
            try:
                while True:
                    data = await asyncio.wait_for(socket_.read(), 60)
                    update = wire["Update"].FromString(data)
                    if update.WhichOneof("kind") == "ack":
                        told.ack(update.ack.number)
                    elif (frame := decoder.update(data)) is not None:
                        told.frame(frame)
            finally:
                steering.cancel()
        except (TimeoutError, OSError, EOFError, asyncio.LimitOverrunError):
            pass
        except Exception as error:  # what was garbled
            decoder = live.Decoder()
            if told._compare:
                told.write("wrong", f"{name}: {type(error).__name__}: {error}")
        if socket_ is not None:
            socket_.writer.transport.abort()
        if r.random() < 0.3:
            decoder = live.Decoder()
        await asyncio.sleep(r.uniform(0.2, 1.5))


async def steer(r: random.Random, socket_: WebSocket, told: Told) -> None:
    while True:
        await asyncio.sleep(LEAST + r.expovariate(1 / 3))
        if r.random() < BREAK:
            told.write("events", "client broke off")
            socket_.reset()
            return
        if r.random() < 0.1:
            told.write("events", "garbage in a session")
            socket_.send(r.randbytes(r.randrange(200)), r.choice([1, 2, 2, 2, 5]))
            continue
        socket_.send(intent(r, 2).SerializeToString())


def program(r: random.Random, address: str, told: Told, name: str) -> None:
    """A client by gRPC, for ever."""
    while True:
        try:
            with live.connect(address, name=name, timeout=30, patience=30) as run:
                for frame in run:
                    told.frame(frame)
                    if r.random() < 0.03:
                        try:
                            told.ack(run.push("trunk", force=(r.gauss(0, 80), 0, 0), steps=r.randrange(1, 9)))
                        except live.Refused:
                            pass
                    if r.random() < 0.003:
                        told.write("events", "client broke off")
                        break
        except live.Lost:
            time.sleep(0.5)


def main() -> None:
    seed, folder, name, web, grpc, number, programs = sys.argv[1:8]
    compare = len(sys.argv) == 8
    told = Told(Path(folder), name, compare)
    for i in range(int(programs)):
        who = f"{name}-program-{i}"
        threading.Thread(target=program, args=(random.Random(f"{seed}/{who}"), grpc, told, who), daemon=True).start()

    async def all_of_them() -> None:
        await asyncio.gather(
            *(page(random.Random(f"{seed}/{name}/{i}"), web, told, f"{name}-{i}") for i in range(int(number)))
        )

    asyncio.run(all_of_them())


if __name__ == "__main__":
    main()
