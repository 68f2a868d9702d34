"""Programs that watch and steer live worlds, those of `train serve`.

    from polyrhythm import live

    with live.connect("127.0.0.1:8081", name="me") as run:
        for frame in run:
            if frame.poses[0, 0, 2] < 0.2:
                run.push("trunk", force=(0, 0, 200), steps=10)

It needs grpcio and protobuf: `pip install polyrhythm[live]`. docs/reference/live-protocol.md
explains frames, intents and roles.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import numpy as np

from polyrhythm import _files, _repr
from polyrhythm._extras import extra
from polyrhythm._library import Error

with extra("live", by="polyrhythm.live"):
    import grpc
    from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory

__all__ = [
    "Applied", "Body", "Capture", "Captured", "Channel", "Client", "Command", "Decider", "Decision", "DecisionEvent",
    "Decoder", "Description", "Frame", "Lost", "Refused", "connect",
]

T = TypeVar("T")

_SERVICE = "/polyrhythm.live.v1.Live/"
_MAX_UPDATE = 1 << 24  # bytes
_MAX_VALUES = 1 << 22  # of all tracks and worlds
_MAX_TRACKS = 1 << 12
_MAX_AGE = 1 << 62  # ns


def _messages() -> Any:
    """The classes of the messages, by name, from live.proto as Go has compiled it.

    They have a pool of their own, so that another live.proto in the program is no conflict
    and any version of protobuf does.
    """
    file = descriptor_pb2.FileDescriptorProto.FromString((Path(__file__).parent / "live.binpb").read_bytes())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        m.name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{file.package}.{m.name}"))
        for m in file.message_type
    }


_wire = _messages()


class Lost(Error):
    """The stream of frames has ended: the run is over, or its server is gone.

    `Client.rejoin` goes on where it was. `again` says whether a server may be there later.
    """

    again = False


class Refused(ValueError):
    """The server took no intent; the message says why."""


class _Shown:
    """Data that a notebook shows in one line."""

    def __repr__(self) -> str:
        return _repr.line(type(self).__name__, **self._facts())

    def _facts(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


@dataclass(frozen=True, repr=False)
class Command(_Shown):
    """A command of the task: for each of its values a name and a range."""

    name: str
    value_names: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True)
class Body:
    """A body that can move, and how it can be pushed."""

    name: str
    force: bool
    velocity: bool


@dataclass(frozen=True)
class Picture:
    """What the values of a camera are: `(height, width, channels)` from the top left.

    The channels are those of the kinds in their order: of "rgb" three values from 0 to 1, of "depth" m, of
    "segmentation" the number of the geom, class or body, or -1, and of "normals" three values, to the right, down and ahead.
    """

    width: int
    height: int
    kinds: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class Channel(_Shown):
    """A sensor channel in the frames. A resolution of 0 means exact values; `picture` is None but for a camera."""

    name: str
    size: int
    resolution: float
    picture: Picture | None


@dataclass(frozen=True, repr=False)
class Description(_Shown):
    """What does not change while a run is live."""

    version: str
    task: str
    worlds: int
    action_low: np.ndarray
    action_high: np.ndarray
    action_names: tuple[str, ...]
    choices: int  # of a discrete action; 0: actions are continuous
    commands: tuple[Command, ...]
    bodies: tuple[Body, ...]
    channels: tuple[Channel, ...]
    configuration: str  # of the run, as YAML
    observation_names: tuple[str, ...]  # none if the task names none
    info_names: tuple[str, ...]  # of `Frame.infos`; those that begin with "reward/" are the terms of the reward
    reply_schema: Mapping[str, Any] | None  # of `Decider.reply`; None: the run has no runner Planner
    capture_runners: tuple[str, ...]  # of `Client.capture`
    capture_values: Mapping[str, int]  # what it can capture: sizes by name

    def _facts(self) -> dict[str, Any]:
        return {
            "task": self.task, "worlds": self.worlds, "action": self.action_low, "choices": self.choices or None,
            "commands": {c.name: c for c in self.commands}, "bodies": len(self.bodies),
            "channels": {c.name: c for c in self.channels}, "version": self.version,
        }


@dataclass(frozen=True, repr=False)
class Applied(_Shown):
    """An intent that was carried out, or could not be: then `error` says why."""

    number: int
    client: str
    kind: str
    error: str
    decision: str  # the id of the decision to which it replies, "" for none


@dataclass(frozen=True, repr=False)
class DecisionEvent(_Shown):
    """What happened to a decision: it was `asked`, `applied`, `refused`, `timed out` or `withdrawn`."""

    id: str
    event: str
    client: str  # that was asked, or whose reply it was
    reason: str


@dataclass(frozen=True, repr=False)
class Frame(_Shown):
    """The state of all worlds, W of them, at a decision point. The arrays are the caller's."""

    n: int  # control steps that the run has taken
    number: int  # of the frame, from 1
    key: bool  # it was sent whole
    paused: bool
    speed: float  # simulated time in a second of wall time
    applied: tuple[Applied, ...]  # intents since the frame before, in order
    decisions: tuple[DecisionEvent, ...]  # since the frame before, in order
    episode: np.ndarray  # (W,) int64
    ns: np.ndarray  # (W,) int64, exact time since the episode began
    terminated: np.ndarray  # (W,) bool, how the episode ended in the last step, if it did
    truncated: np.ndarray  # (W,) bool
    reward: np.ndarray  # (W,) float32, of the last step
    infos: Mapping[str, np.ndarray]  # (W,) float32, of the last step
    poses: np.ndarray  # (W, bodies, 7) float64: position in m, quaternion w x y z; or (W, bodies, 3): x, y in m, angle
    channels: Mapping[str, np.ndarray]  # (W, size) float64
    timestamps: Mapping[str, np.ndarray]  # (W,) int64, ns since the episode began; -1: still the value of the reset

    def _facts(self) -> dict[str, Any]:
        return {
            "n": self.n, "number": self.number, "worlds": len(self.ns), "paused": self.paused, "speed": self.speed,
            "poses": self.poses, "channels": self.channels,
            "applied": len(self.applied), "decisions": len(self.decisions),
        }


@dataclass(frozen=True, repr=False)
class Decision(_Shown):
    """What is to be done in a world, at a boundary of the runner Planner. The arrays are the caller's."""

    id: str  # WORLD/EPISODE/Planner/NS
    world: int
    episode: int
    ns: int  # exact time of the boundary since the episode began
    n: int  # control steps that the run had taken
    observation: np.ndarray  # float64
    poses: np.ndarray  # (bodies, 7) or (bodies, 3) float64, exact
    channels: Mapping[str, np.ndarray]  # of the frames, exact
    last: Mapping[str, Any] | None  # the last reply that was applied
    within_ns: int  # simulated time after which a reply is too late


@dataclass(frozen=True, repr=False)
class Captured(_Shown):
    """What a world had at a boundary of a runner, in the phase Export. The arrays are the caller's."""

    world: int
    episode: int
    n: int  # control steps that the run had taken
    k: int  # number of the boundary, from the start of the episode or the newest change of a rate
    ns: int  # exact time of the boundary since the episode began
    dt_ns: int  # to the next boundary of the runner
    beat: bool  # all runners have a boundary here
    values: Mapping[str, np.ndarray]  # float64, by name
    timestamps: Mapping[str, int]  # ns since the episode began; -1: still the value of the reset


class Decoder:
    """Follows a stream of encoded updates and holds the state at the newest frame.

    `Client` is one; of its own it reads updates that come by other ways, such as a
    WebSocket. It checks what comes from the network, and raises ValueError; after that it
    must not be used.
    """

    description: Description = None  # type: ignore[assignment]  # before the welcome

    def __init__(self) -> None:
        self.name = ""  # of the client, in frames and the log
        self.role = ""  # "watch", "steer" or "operate"
        self.session = b""  # secret: who has it can go on with the session for a minute after it is closed
        self.frame: Frame | None = None  # the newest; None before the first
        self.missed = 0  # frames that the server left out, because the client was slow or away
        self._tracks: list[Any] = []
        self._last: list[np.ndarray] = []  # of each track: (W, size), int64 multiples of its resolution or float64
        self._ping = 0  # id of a ping that has not been answered

    def update(self, data: bytes) -> Frame | None:
        """Take the next update. Returns its frame, None if it is another message."""
        if len(data) > _MAX_UPDATE:
            raise ValueError(f"an update of {len(data)} bytes, want at most {_MAX_UPDATE}")
        try:
            update = _wire["Update"].FromString(data)
        except message.DecodeError as error:
            raise ValueError(f"an update is not valid: {error}") from None
        kind = update.WhichOneof("kind")
        if kind == "frame":
            self.frame = self._follow(update.frame)
            return self.frame
        if kind == "welcome":
            self._welcome(update.welcome)
        elif kind == "ping":
            self._ping = update.ping.id
        elif kind is None:
            raise ValueError("an update is empty, want a welcome, a frame, an ack or a ping")
        return None

    def _welcome(self, welcome: Any) -> None:
        d = welcome.description
        size = sum(t.size for t in d.tracks)
        if len(d.tracks) > _MAX_TRACKS or size * max(1, d.worlds) > _MAX_VALUES or d.worlds > _MAX_VALUES:
            raise ValueError(
                f"{d.worlds} worlds with {size} values in {len(d.tracks)} tracks, "
                f"want at most {_MAX_VALUES} values in {_MAX_TRACKS} tracks"
            )
        for t in d.tracks:
            if not 0 <= t.resolution < np.finfo(np.float64).max:
                raise ValueError(f"track {t.name!r} has the resolution {t.resolution}, want a finite one")
            if t.name == "poses" and (t.pose_size == 0 or t.size != t.pose_size * len(d.bodies)):
                raise ValueError(f"poses have {t.size} values of {len(d.bodies)} bodies, want {t.pose_size} of each")
        last = [np.zeros((d.worlds, t.size), np.int64 if t.resolution else np.float64) for t in d.tracks]
        if [(a.shape, a.dtype) for a in last] != [(a.shape, a.dtype) for a in self._last]:
            self._last, self.frame = last, None
        self._tracks = list(d.tracks)
        self.description = _description(d)
        self.name, self.role, self.session = welcome.client, welcome.role, welcome.session

    def _follow(self, f: Any) -> Frame:
        if self.description is None:
            raise ValueError("a frame came before the welcome")
        if not f.key and self.frame is None:
            raise ValueError(f"frame {f.number} is a difference, want a key frame")
        if self.frame is not None and f.number != self.frame.number + 1:
            if not f.key:
                raise ValueError(
                    f"frame {f.number} came after frame {self.frame.number}, want the next one or a key frame"
                )
            self.missed += max(0, f.number - self.frame.number - 1)
        if len(f.worlds) != self.description.worlds:
            raise ValueError(f"frame {f.number} has {len(f.worlds)} worlds, want {self.description.worlds}")
        names = self.description.info_names
        for w, world in enumerate(f.worlds):
            if len(world.infos) != len(names):
                raise ValueError(f"frame {f.number}, world {w}: {len(world.infos)} infos, want {len(names)}")
            if len(world.tracks) != len(self._tracks):
                raise ValueError(f"frame {f.number}, world {w}: {len(world.tracks)} tracks, want {len(self._tracks)}")
            for values, track, last in zip(world.tracks, self._tracks, self._last, strict=True):
                if values.age_ns > _MAX_AGE:
                    raise ValueError(f"frame {f.number}, world {w}, track {track.name}: the age is {values.age_ns} ns")
                steps, exact = len(values.steps), len(values.exact)
                if steps > track.size or exact != (0 if track.resolution else track.size):
                    raise ValueError(
                        f"frame {f.number}, world {w}, track {track.name}: {steps} steps and {exact} exact values, "
                        f"want the {track.size} of the track"
                    )
                if f.key:
                    last[w] = 0
                if not track.resolution:
                    last[w] = values.exact
                elif steps:
                    last[w, :steps] += np.array(values.steps, np.int64)
        return self._frame(f)

    def _frame(self, f: Any) -> Frame:
        worlds = f.worlds
        ns = np.array([w.ns for w in worlds], np.int64)
        poses = np.zeros((len(worlds), 0, 7))
        channels, timestamps = {}, {}
        for t, track in enumerate(self._tracks):
            last = self._last[t]
            values = last * track.resolution if track.resolution else last.copy()
            if track.name == "poses":
                poses = values.reshape(len(worlds), track.size // track.pose_size, track.pose_size)
                continue
            name = _channel(track.name)
            channels[name], timestamps[name] = values, ns.copy()
            if track.stamped:
                for w, world in enumerate(worlds):
                    had = world.tracks[t]
                    timestamps[name][w] = world.ns - had.age_ns if had.HasField("age_ns") else -1
        each = lambda name, kind: np.array([getattr(w, name) for w in worlds], kind)  # noqa: E731
        return _of(
            Frame, f,
            speed=f.speed or (self.frame.speed if self.frame else 0.0),
            applied=tuple(_of(Applied, a) for a in f.applied),
            decisions=tuple(_of(DecisionEvent, d) for d in f.decisions),
            episode=each("episode", np.int64), ns=ns, reward=each("reward", np.float32),
            terminated=each("terminated", bool), truncated=each("truncated", bool),
            infos={name: np.array([w.infos[i] for w in worlds], np.float32)
                   for i, name in enumerate(self.description.info_names)},
            poses=poses, channels=channels, timestamps=timestamps,
        )  # fmt: skip


def _of(kind: Any, m: Any, **given: Any) -> Any:
    """A message as one of the data classes: what is not given is the field of the same name."""
    for field in fields(kind):
        if field.name not in given:
            value = getattr(m, field.name)
            if field.type == "np.ndarray":
                value = np.array(value, np.float64)
            given[field.name] = tuple(value) if str(field.type).startswith("tuple") else value
    return kind(**given)


def _description(d: Any) -> Description:
    return _of(
        Description, d,
        commands=tuple(_of(Command, c) for c in d.commands),
        bodies=tuple(_of(Body, b) for b in d.bodies),
        channels=tuple(
            _of(
                Channel, t, name=_channel(t.name),
                picture=_of(Picture, t.picture) if t.HasField("picture") else None,
            )
            for t in d.tracks if t.name != "poses"
        ),
        reply_schema=json.loads(d.reply_schema) if d.reply_schema else None,
        capture_values={c.name: c.size for c in d.capture_values},
    )  # fmt: skip


def _channel(track: str) -> str:
    return track.removeprefix("channel/")


def connect(
    address: str = "127.0.0.1:8081",
    *,
    name: str = "",
    token: str | None = None,
    certificate: str | os.PathLike[str] | None = None,
    fingerprint: str | None = None,
    session: bytes = b"",
    timeout: float = 10,
    patience: float = 10,
) -> Client:
    """Join a live run, by gRPC.

    Args:
        address: HOST:PORT, that of `train serve --grpc`.
        name: for people and the log.
        token: of a role; a server that others can reach wants one.
        certificate: the file of a certificate that vouches for the server: the connection is
            encrypted.
        fingerprint: the SHA-256 of the server's self-made certificate, which it prints: the
            connection is encrypted.
        session: `Client.session` of an earlier client, to go on with its name.
        timeout: s, to reach the server.
        patience: s, for which a client that waits for a frame tries to reach a server that is
            gone, such as one that was killed and goes on; see `Client`.

    Raises:
        Lost: the server cannot be reached, or lets nobody in without another token.
    """
    if certificate is not None and fingerprint is not None:
        raise TypeError("certificate and fingerprint are both given, want one of them")
    options: list[tuple[str, Any]] = [
        ("grpc.max_receive_message_length", _MAX_UPDATE + 1024), ("grpc.enable_retries", 0),
        ("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 1000),
    ]  # fmt: skip
    credentials = None
    if fingerprint is not None:
        credentials = grpc.ssl_channel_credentials(_known_certificate(address, fingerprint, timeout))
        options.append(("grpc.ssl_target_name_override", "localhost"))  # it is known by more than its name
    elif certificate is not None:
        credentials = grpc.ssl_channel_credentials(_files.read_file(certificate, _files.MAX_TEXT))
    if credentials is None:
        channel = grpc.insecure_channel(address, options)
    else:
        channel = grpc.secure_channel(address, credentials, options)
    try:
        grpc.channel_ready_future(channel).result(timeout)
        return Client(channel, name, token, session, patience)
    except grpc.FutureTimeoutError:
        channel.close()
        raise Lost(f"no answer from {address} in {timeout} s") from None
    except BaseException:
        channel.close()
        raise


def _known_certificate(address: str, fingerprint: str, timeout: float) -> bytes:
    """The certificate of a server, in PEM, if its SHA-256 is the one expected."""
    host, _, port = address.rpartition(":")
    try:
        pem = ssl.get_server_certificate((host.strip("[]"), int(port)), timeout=timeout)
    except (OSError, ValueError) as error:
        raise Lost(f"no certificate from {address}: {error}") from None
    found = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()
    if found != fingerprint.replace(":", "").lower():
        raise Lost(f"the certificate of {address} has the SHA-256 {found}, want {fingerprint}")
    return pem.encode()


class _Stream(Generic[T]):
    """What the server sends, for as long as it does: an iterator and a context manager."""

    _patience = 0.0  # s, for which it tries to reach a server that is gone
    _closed = False
    _updates: Any  # the call
    _begin: Callable[[], None]  # opens the stream, or opens it again; raises Lost
    _take: Callable[[], T]  # waits for what comes next; raises Lost, or the error of the call

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        """Wait for what comes next. Raises Lost where nothing can come any more."""
        gone = 0.0  # when the server was lost
        while not self._closed:
            try:
                if gone:
                    self._begin()
                    gone = 0.0
                return self._take()
            except (Lost, StopIteration, grpc.RpcError) as error:
                lost = error if isinstance(error, Lost) else _lost(error)
                if self._closed:  # meanwhile, by another thread
                    break
                gone = gone or time.monotonic()
                if not lost.again or time.monotonic() - gone >= self._patience:
                    raise lost from None
                time.sleep(0.1)
        raise StopIteration

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the stream. Decisions that wait are withdrawn then."""
        self._closed = True
        self._updates.cancel()


class Client(_Stream[Frame], Decoder):
    """A client of a live run, with what its stream says; `connect` makes one.

    Iterating gives each `Frame` from then on. The server keeps 64 frames for a client and leaves
    some out if it is further behind, see `missed`; one that reads none for 5 s is closed, and
    joins again as it goes on. So it does where the server is gone, for `patience` seconds:
    `train serve --resume` knows its session. Commands, pauses and changes of the clock stay. One
    thread may read frames while others submit intents. Every intent is applied at a decision
    point; the number that its method returns is its place in the order of all intents, and the
    frame after names it under `applied`. A method raises `Refused` where the server does not
    take the intent.
    """

    def __init__(self, channel: Any, name: str, token: str | None, session: bytes, patience: float = 10) -> None:
        super().__init__()
        self._channel, self._patience, self.session = channel, patience, session
        self._metadata = None if token is None else (("authorization", f"Bearer {token}"),)
        self._pong: Any = None  # the call of the last answer to a ping; it would be cancelled without a reference
        self._updates: Any = None
        self._asked = name
        self._begin()

    def _call(self, kind: str, method: str, reply: str) -> Any:
        """A method of the service, for a call: `unary_unary` or `unary_stream`."""
        make = _wire[reply].FromString if reply else None
        call = getattr(self._channel, kind)(_SERVICE + method, _encode, make)
        return partial(call, metadata=self._metadata)

    def _begin(self) -> None:
        if self._updates is not None:
            self._updates.cancel()
        after = self.frame.number if self.frame else 0
        request = _wire["JoinRequest"](name=self._asked, session=self.session, after=after, pongs=True)
        self._updates = self._call("unary_stream", "Join", "")(request)
        self._update()

    def _update(self) -> Frame | None:
        try:
            frame = self.update(next(self._updates))
        except StopIteration:
            raise Lost("the server has ended the stream of frames") from None
        except grpc.RpcError as error:
            raise _lost(error) from None
        if self._ping:  # says that the program reads; its answer is not waited for
            pong = _wire["PongRequest"](session=self.session, id=self._ping)
            self._ping = 0
            call = self._channel.unary_unary(_SERVICE + "Pong", _encode, _wire["PongReply"].FromString)
            self._pong = call.future(pong, metadata=self._metadata)
        return frame

    def _take(self) -> Frame:
        while (frame := self._update()) is None:
            pass
        return frame

    def __repr__(self) -> str:
        if self.description is None:
            return _repr.line("Client", "not joined")
        return _repr.line(
            "Client", self.description.task, "closed" if self._closed else self.role, name=self.name,
            worlds=self.description.worlds, n=self.frame.n if self.frame else None, missed=self.missed,
        )  # fmt: skip

    def rejoin(self) -> None:
        """Go on with the session in a new stream, after `Lost`, from the frame after the last."""
        self._begin()

    def action(self, values: Sequence[float] | np.ndarray | None, *, world: int = 0, steps: int = 1) -> int:
        """Decide the action of a world for a number of control steps; None: the policy acts again."""
        return self._submit(action={"world": world, "values": _numbers(values), "steps": steps})

    def command(self, name: str, values: Sequence[float] | np.ndarray | None, *, world: int = 0) -> int:
        """Set a command of the task, until it is released by None."""
        return self._submit(command={"world": world, "name": name, "values": _numbers(values)})

    def push(
        self,
        body: str,
        *,
        force: Sequence[float] | None = None,
        torque: Sequence[float] | None = None,
        velocity: Sequence[float] | None = None,
        world: int = 0,
        steps: int = 1,
        id: int = 0,  # noqa: A002
    ) -> int:
        """Push a body, along the axes of the world: N and N·m for a number of control steps, m/s once.

        With an `id` above 0 it replaces this client's earlier push of the same id, as a push that
        is sent again and again should; without any vector it ends that one.
        """
        return self._submit(
            push={
                "world": world, "body": body, "steps": steps, "id": id,
                "force": _numbers(force), "torque": _numbers(torque), "velocity": _numbers(velocity),
            }
        )

    def label(self, *, task: str = "", success: bool | None = None, world: int = 0) -> int:
        """Say of the running episode what the robot is to do from now on, or whether it has succeeded.

        Nothing in the world changes: `train replay --record` puts it into the dataset of the run.
        """
        said = {} if success is None else {"success": success}
        return self._submit(label={"world": world, "task": task, **said})

    def reset(self, *, world: int | None = None, seed: int | None = None) -> int:
        """Begin a new episode of a world, or of all, with a seed if given."""
        return self._submit(reset={key: v for key, v in [("world", world), ("seed", seed)] if v is not None})

    def pause(self, paused: bool = True) -> int:
        """Pause the run, or let it go on."""
        return self._submit(pause={"paused": paused})

    def speed(self, factor: float) -> int:
        """Set the simulated time in a second of wall time, 0.01 to 100."""
        return self._submit(speed={"factor": factor})

    def edit(self, edits: Iterable[Mapping[str, Any]]) -> int:
        """Change the clock from the next step on, by edits as docs/explanation/time.md has them.

        An example is `[{"set_rate": {"name": "Robot", "rate": "200"}}]`.
        """
        return self._submit(edit={"edits": json.dumps(list(edits))})

    def decide(self, worlds: Iterable[int] | None = None) -> Decider:
        """Decide for some worlds, or all, instead of those that did before.

        The run needs a runner Planner. Frames need not be read: those that were not are left
        out, and after 5 s without a read `Lost` comes in the place of the next, see `rejoin`.

        Raises:
            Refused: there is no such world or no runner Planner, or the role does not allow it.
        """
        return Decider(self, worlds)

    def capture(
        self,
        runner: str,
        values: Iterable[str] | None = None,
        *,
        worlds: Iterable[int] | None = None,
        every: int = 1,
    ) -> Capture:
        """Capture values in the phase Export of a runner, from the next decision point on.

        Args:
            runner: one of `description.capture_runners`.
            values: names in `description.capture_values`; None: all of them.
            worlds: their numbers; None: all.
            every: boundaries of the runner from one capture to the next.

        Raises:
            Refused: there are no such values, or too many, or too many captures.
        """
        return Capture(self, runner, values, worlds, every)

    def step(self, steps: int = 1) -> Frame:
        """Take control steps of a paused run, 1 to 1000, and return the frame after the last.

        Intents submitted before are applied before the first of these steps. The frames in
        between, and those that had not been read, are passed over; the one returned has what all of
        them have under `applied` and `decisions`. After `Lost` the steps may have been taken all the
        same, since the answer can be lost as well: the next frame says where the run stands.
        """
        request = _message("StepRequest", {"session": self.session, "steps": steps})
        try:
            n = self._call("unary_unary", "Step", "StepReply")(request).n
        except grpc.RpcError as error:
            if error.code() == grpc.StatusCode.FAILED_PRECONDITION:
                raise Refused(error.details()) from None
            raise _lost(error) from None
        passed: list[Frame] = []
        while (frame := self._update()) is None or frame.n < n:
            if frame is not None:
                passed.append(frame)
        passed.append(frame)
        return replace(
            frame,
            applied=tuple(a for f in passed for a in f.applied),
            decisions=tuple(d for f in passed for d in f.decisions),
        )

    def _submit(self, **kind: Any) -> int:
        """Submit an intent and wait for its number."""
        intent = _message("Intent", {"session": self.session, **kind})
        try:
            return _number(self._call("unary_unary", "Submit", "Ack")(intent))
        except grpc.RpcError as error:
            raise _lost(error) from None

    def close(self) -> None:
        """Leave the run. The session can be joined again for a minute."""
        if not self._closed:
            super().close()
            self._channel.close()


class Decider(_Stream[Decision]):
    """Decisions that are due in a live run; `Client.decide` makes one.

    Iterating gives each `Decision` as it is asked. At most one of each world waits for its reply at
    a time. One thread may wait for decisions while others reply. Where the server is gone, it goes
    on deciding with a run that is there again within the client's `patience`; decisions that were
    asked before have been withdrawn, and `reply` raises `Lost` meanwhile.
    """

    def __init__(self, client: Client, worlds: Iterable[int] | None) -> None:
        self._client, self._patience = client, client._patience
        self._request = _message("Intent", {"session": client.session, "decide": {"worlds": list(worlds or [])}})
        self._tracks = list(client._tracks)
        self._decisions: queue.SimpleQueue[Decision | BaseException] = queue.SimpleQueue()
        try:
            self._begin()
        except (StopIteration, grpc.RpcError) as error:
            raise _lost(error) from None
        threading.Thread(target=self._read, name="polyrhythm.live.decide", daemon=True).start()

    def _begin(self) -> None:
        self._updates = self._client._call("unary_stream", "Decide", "Update")(self._request)
        if self._closed:  # meanwhile
            self._updates.cancel()
        _number(next(self._updates).ack)

    def _take(self) -> Decision:
        d = next(self._updates).decision
        values = {t.name: np.array(t.values, np.float64) for t in d.tracks}
        poses = np.zeros((0, 7))
        for track in self._tracks:
            if track.name == "poses" and track.pose_size and track.name in values:
                poses = values.pop("poses").reshape(-1, track.pose_size)
        channels = {_channel(name): v for name, v in values.items()}
        return _of(Decision, d, poses=poses, channels=channels, last=json.loads(d.last) if d.last else None)

    def _read(self) -> None:
        """Take what comes, on a thread of its own, until there can be no more."""
        try:
            while True:
                self._decisions.put(super().__next__())
        except Exception as error:
            self._decisions.put(error)

    def __next__(self) -> Decision:
        """Wait for the next decision. Raises Lost where none can come any more."""
        if (decision := self.wait()) is None:
            raise StopIteration
        return decision

    def wait(self, timeout: float | None = None) -> Decision | None:
        """Wait for the next decision, at most `timeout` s. None if none came, or this is closed."""
        try:
            decision = self._decisions.get(timeout=timeout)
        except queue.Empty:
            return None
        if isinstance(decision, Decision):
            return decision
        self._decisions.put(decision)  # for the next call
        if self._closed:
            return None
        raise decision

    def reply(self, decision: Decision | str, answer: Mapping[str, Any] | str) -> int:
        """Answer a decision, given by itself or its id, and return the number of the intent.

        The answer is of the schema `description.reply_schema`, as a mapping or as JSON:
        `{"commands": {"velocity": {"lin_vel_x": 0.5, "lin_vel_y": 0, "ang_vel_z": 0}}, "why": "the way is free"}`.
        It is applied at the next decision point, or refused there as late, stale or of the wrong
        episode; `Frame.decisions` says which.

        Raises:
            Refused: the answer breaks the schema. While the decision waits, it can be corrected.
        """
        text = answer if isinstance(answer, str) else json.dumps(answer)
        ident = decision if isinstance(decision, str) else decision.id
        return self._client._submit(reply={"id": ident, "json": text})


class Capture(_Stream[Captured]):
    """Captures of a live run; `Client.capture` makes one.

    Iterating gives each as a `Captured`, those of a world in order of time. The server drops what a
    client does not read, see `missed`; one that reads nothing for 5 s is closed. Where the server is
    gone, it captures again what a run that is there within the client's `patience` does then; `missed`
    does not count what was in between. One thread at a time may iterate.
    """

    def __init__(
        self, client: Client, runner: str, values: Iterable[str] | None, worlds: Iterable[int] | None, every: int
    ) -> None:
        self.missed = 0  # captures that the server left out, because the client was slow
        self._names = tuple(() if values is None else values) or tuple(client.description.capture_values)
        self._captured: list[Any] = []  # that have come, the next one last
        self._client, self._patience = client, client._patience
        request = {"runner": runner, "values": self._names, "worlds": list(worlds or []), "every": every}
        self._request = _message("CaptureRequest", request)
        self._begin()

    def _begin(self) -> None:
        self._updates = self._client._call("unary_stream", "Capture", "Captures")(self._request)
        if "capture" not in dict(self._updates.initial_metadata() or ()):
            if self._updates.code() is grpc.StatusCode.INVALID_ARGUMENT:
                raise Refused(str(self._updates.details()))
            raise _lost(self._updates)

    def _take(self) -> Captured:
        while not self._captured:
            try:
                message = next(self._updates)
            except grpc.RpcError as error:
                lost = _lost(error)
                lost.again = error.code() is grpc.StatusCode.UNAVAILABLE  # not where it was too slow
                raise lost from None
            self.missed += message.missed
            self._captured = list(reversed(message.captures))
        c = self._captured.pop()
        values = dict(zip(self._names, c.values, strict=True))
        return _of(
            Captured, c,
            values={name: np.array(s.values, np.float64) for name, s in values.items()},
            timestamps={name: s.ns if s.HasField("ns") else -1 for name, s in values.items()},
        )  # fmt: skip


def _encode(m: Any) -> bytes:
    return m.SerializeToString()


def _message(name: str, fields: dict[str, Any]) -> Any:
    """A message; ValueError where a value has the wrong type or is out of its range."""
    try:
        return _wire[name](**fields)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{fields} is not valid: {error}") from None


def _numbers(values: Sequence[float] | np.ndarray | None) -> list[float]:
    """Values as a list of numbers; None is an empty one."""
    return [] if values is None else np.asarray(values, np.float64).ravel().tolist()


def _number(ack: Any) -> int:
    """The number in an Ack."""
    if ack.error:
        raise Refused(ack.error)
    return ack.number


def _lost(error: Any) -> Lost:
    """What an error of a call means, and whether it is one after which there may be a server again."""
    if not isinstance(error, grpc.Call):
        return Lost("the server has ended the connection")
    lost = Lost(str(error.details()))
    lost.again = error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED)
    return lost
