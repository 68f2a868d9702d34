"""Programs that watch and steer live worlds, those of `train serve`.

    from polyrhythm import live

    with live.connect("127.0.0.1:8081", name="me") as run:
        for frame in run:
            if frame.poses[0, 0, 2] < 0.2:
                run.push("trunk", force=(0, 0, 200), steps=10)

It needs grpcio and protobuf: `pip install polyrhythm[live]`. docs/live.md explains frames,
intents and roles.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import ssl
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from polyrhythm._library import Error

try:
    import grpc
    from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory
except ImportError as error:
    raise ImportError(f"polyrhythm.live needs grpcio and protobuf, want `pip install polyrhythm[live]`: {error}") from error

__all__ = [
    "Applied", "Body", "Capture", "Captured", "Channel", "Client", "Command", "Decider", "Decision", "DecisionEvent", "Decoder",
    "Description", "Frame", "Lost", "Refused", "connect",
]

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


@dataclass(frozen=True)
class Command:
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
class Channel:
    """A sensor channel in the frames. A resolution of 0 means exact values."""

    name: str
    size: int
    resolution: float


@dataclass(frozen=True)
class Description:
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
    reply_schema: Mapping[str, Any] | None  # of `Decider.reply`; None: the run has no runner Planner
    capture_runners: tuple[str, ...]  # of `Client.capture`
    capture_values: Mapping[str, int]  # what it can capture: sizes by name


@dataclass(frozen=True)
class Applied:
    """An intent that was carried out, or could not be: then `error` says why."""

    number: int
    client: str
    kind: str
    error: str
    decision: str  # the id of the decision to which it replies, "" for none


@dataclass(frozen=True)
class DecisionEvent:
    """What happened to a decision: it was `asked`, `applied`, `refused`, `timed out` or `withdrawn`."""

    id: str
    event: str
    client: str  # that was asked, or whose reply it was
    reason: str


@dataclass(frozen=True)
class Frame:
    """The state of all worlds, W of them, at a decision point. The arrays are the caller's."""

    n: int  # control steps that the run has taken
    number: int  # of the frame, from 1
    key: bool  # it was sent whole
    paused: bool
    speed: float  # simulated time in a second of wall time, as of the last key frame
    applied: tuple[Applied, ...]  # intents since the frame before, in order
    decisions: tuple[DecisionEvent, ...]  # since the frame before, in order
    episode: np.ndarray  # (W,) int64
    ns: np.ndarray  # (W,) int64, exact time since the episode began
    terminated: np.ndarray  # (W,) bool, how the episode ended in the last step, if it did
    truncated: np.ndarray  # (W,) bool
    reward: np.ndarray  # (W,) float32, of the last step
    poses: np.ndarray  # (W, bodies, 7) float64: position in m, quaternion w x y z; or (W, bodies, 3): x, y in m, angle
    channels: Mapping[str, np.ndarray]  # (W, size) float64
    timestamps: Mapping[str, np.ndarray]  # (W,) int64, ns since the episode began; -1: still the value of the reset


@dataclass(frozen=True)
class Decision:
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
    traceparent: str  # for the spans of the program, as W3C Trace Context has it


@dataclass(frozen=True)
class Captured:
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

    `Client` has one; of its own it reads updates that come by other ways, such as a
    WebSocket. It checks what comes from the network, and raises ValueError; after that it
    must not be used.
    """

    def __init__(self) -> None:
        self.description: Description | None = None  # None before the welcome
        self.client = ""  # as frames and the log name it
        self.role = ""  # "watch", "steer" or "operate"
        self.session = b""  # secret: who has it can go on with the session
        self.frame: Frame | None = None  # the newest; None before the first
        self.missed = 0  # frames that the server left out, because the client was slow or away
        self._tracks: list[Any] = []
        self._last: list[np.ndarray] = []  # of each track: (W, size) int64
        self._motion: list[np.ndarray] = []
        self._lost = False  # a gap came, so only a key frame can follow
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
            self.frame = self._take(update.frame)
            return self.frame
        if kind == "welcome":
            self._welcome(update.welcome)
        elif kind == "gap":
            self.missed += update.gap.missed
            self._lost = True
        elif kind == "ping":
            self._ping = update.ping.id
        elif kind is None:
            raise ValueError("an update is empty, want a welcome, a frame, a gap, an ack or a ping")
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
        shapes = [(d.worlds, t.size) for t in d.tracks]
        if shapes != [a.shape for a in self._last]:
            self._last = [np.zeros(shape, np.int64) for shape in shapes]
            self._motion = [np.zeros(shape, np.int64) for shape in shapes]
            self.frame = None
        self._tracks = list(d.tracks)
        self.description = _description(d)
        self.client, self.role, self.session = welcome.client, welcome.role, welcome.session

    def _take(self, f: Any) -> Frame:
        if self.description is None:
            raise ValueError("a frame came before the welcome")
        if not f.key and (self.frame is None or self._lost):
            raise ValueError(f"frame {f.number} is a difference, want a key frame")
        if not f.key and f.number != self.frame.number + 1:  # type: ignore[union-attr]
            raise ValueError(f"frame {f.number} came after frame {self.frame.number}, want the next one or a gap")  # type: ignore[union-attr]
        if len(f.worlds) != self.description.worlds:
            raise ValueError(f"frame {f.number} has {len(f.worlds)} worlds, want {self.description.worlds}")
        if f.key:
            for values in (*self._last, *self._motion):
                values.fill(0)
        for w, world in enumerate(f.worlds):
            if len(world.tracks) != len(self._tracks):
                raise ValueError(f"frame {f.number}, world {w}: {len(world.tracks)} tracks, want {len(self._tracks)}")
            for values, track, last, motion in zip(world.tracks, self._tracks, self._last, self._motion, strict=True):
                if values.age_ns > _MAX_AGE:
                    raise ValueError(f"frame {f.number}, world {w}, track {track.name}: the age is {values.age_ns} ns")
                if (n := max(len(values.steps), len(values.bits), len(values.motion))) > track.size:
                    raise ValueError(
                        f"frame {f.number}, world {w}, track {track.name}: {n} values, want at most {track.size}"
                    )
                _apply(values, track.resolution == 0, last[w], motion[w], f.key)
        self._lost = False
        return self._frame(f)

    def _frame(self, f: Any) -> Frame:
        worlds = f.worlds
        ns = np.array([w.ns for w in worlds], np.int64)
        poses = np.zeros((len(worlds), 0, 7))
        channels, timestamps = {}, {}
        for t, track in enumerate(self._tracks):
            last = self._last[t]
            values = last.view(np.float64).copy() if track.resolution == 0 else last * track.resolution
            if track.name == "poses":
                poses = values.reshape(len(worlds), track.size // track.pose_size, track.pose_size)
                continue
            name = track.name.removeprefix("channel/")
            channels[name], timestamps[name] = values, ns.copy()
            if track.stamped:
                for w, world in enumerate(worlds):
                    had = world.tracks[t]
                    timestamps[name][w] = world.ns - had.age_ns if had.HasField("age_ns") else -1
        return Frame(
            n=f.n,
            number=f.number,
            key=f.key,
            paused=f.paused,
            speed=f.speed if f.key or self.frame is None else self.frame.speed,
            applied=tuple(Applied(a.number, a.client, a.kind, a.error, a.decision) for a in f.applied),
            decisions=tuple(DecisionEvent(d.id, d.event, d.client, d.reason) for d in f.decisions),
            episode=np.array([w.episode for w in worlds], np.int64),
            ns=ns,
            terminated=np.array([w.terminated for w in worlds], bool),
            truncated=np.array([w.truncated for w in worlds], bool),
            reward=np.array([w.reward for w in worlds], np.float32),
            poses=poses,
            channels=channels,
            timestamps=timestamps,
        )


def _apply(values: Any, exact: bool, last: np.ndarray, motion: np.ndarray, key: bool) -> None:
    """Add the differences of a track of a world. Overflows wrap, as in Go."""
    if exact:
        bits = np.array(values.bits, np.uint64).byteswap().view(np.int64)
        last[: len(bits)] ^= bits
        return
    if values.steps:
        motion[: len(values.steps)] += np.array(values.steps, np.int64)
    last += motion
    if key:
        motion.fill(0)
        if values.motion:
            motion[: len(values.motion)] = np.array(values.motion, np.int64)


def _description(d: Any) -> Description:
    return Description(
        version=d.version,
        task=d.task,
        worlds=d.worlds,
        action_low=np.array(d.action_low),
        action_high=np.array(d.action_high),
        action_names=tuple(d.action_names),
        choices=d.choices,
        commands=tuple(Command(c.name, tuple(c.value_names), np.array(c.low), np.array(c.high)) for c in d.commands),
        bodies=tuple(Body(b.name, b.force, b.velocity) for b in d.bodies),
        channels=tuple(
            Channel(t.name.removeprefix("channel/"), t.size, t.resolution) for t in d.tracks if t.name != "poses"
        ),
        configuration=d.configuration,
        observation_names=tuple(d.observation_names),
        reply_schema=json.loads(d.reply_schema) if d.reply_schema else None,
        capture_runners=tuple(d.capture_runners),
        capture_values={c.name: c.size for c in d.capture_values},
    )


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
    options: list[tuple[str, Any]] = [("grpc.max_receive_message_length", _MAX_UPDATE + 1024), ("grpc.enable_retries", 0),
                                      ("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 1000)]
    credentials = None
    if fingerprint is not None:
        credentials = grpc.ssl_channel_credentials(_known_certificate(address, fingerprint, timeout))
        options.append(("grpc.ssl_target_name_override", "localhost"))  # it is known by more than its name
    elif certificate is not None:
        credentials = grpc.ssl_channel_credentials(Path(certificate).read_bytes())
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


class Client:
    """A client of a live run; `connect` makes one.

    Iterating gives each frame from then on. The server keeps 64 frames for a client and leaves
    some out if it is further behind, see `missed`; one that reads none for 5 s is closed, and
    joins again as it goes on. So it does where the server is gone, for `patience` seconds:
    `train serve --resume` knows its session. Commands, pauses and changes of the clock stay. One
    thread may read frames while others submit intents. Every intent is applied at a decision
    point; the number that its method returns is its place in the order of all intents, and the
    frame after names it under `applied`. A method raises `Refused` where the server does not
    take the intent.
    """

    def __init__(self, channel: Any, name: str, token: str | None, session: bytes, patience: float = 10) -> None:
        self._channel, self._name, self._patience = channel, name, patience
        self._metadata = None if token is None else (("authorization", f"Bearer {token}"),)
        self._decoder = Decoder()
        self._lock = threading.Lock()  # of intents
        self._outgoing: queue.SimpleQueue[Any] | None = None
        self._acks: Iterator[Any] | None = None
        self._ids = 0
        self._closed = False
        self._pong: Any = None  # the call of the last answer to a ping; it would be cancelled without a reference
        self._join(session, 0)

    def _join(self, session: bytes, after: int) -> None:
        call = self._channel.unary_stream(_SERVICE + "Join", request_serializer=_encode, response_deserializer=None)
        request = _wire["JoinRequest"](name=self._name, session=session, after=after, pongs=True)
        self._updates = call(request, metadata=self._metadata)
        self._update()

    def _update(self) -> Frame | None:
        try:
            frame = self._decoder.update(next(self._updates))
        except StopIteration:
            raise Lost("the server has ended the stream of frames") from None
        except grpc.RpcError as error:
            raise _lost(error) from None
        if self._decoder._ping:  # says that the program reads; its answer is not waited for
            pong = _wire["PongRequest"](session=self.session, id=self._decoder._ping)
            self._decoder._ping = 0
            call = self._channel.unary_unary(
                _SERVICE + "Pong", request_serializer=_encode, response_deserializer=_wire["PongReply"].FromString
            )
            self._pong = call.future(pong, metadata=self._metadata)
        return frame

    @property
    def description(self) -> Description:
        """What does not change while the run is live."""
        assert self._decoder.description is not None
        return self._decoder.description

    @property
    def name(self) -> str:
        """As frames and the log name this client."""
        return self._decoder.client

    @property
    def role(self) -> str:
        """`watch`, `steer` or `operate`."""
        return self._decoder.role

    @property
    def session(self) -> bytes:
        """Secret: who has it can go on with this session for a minute after it is closed."""
        return self._decoder.session

    @property
    def frame(self) -> Frame | None:
        """The newest frame that was read; None before the first."""
        return self._decoder.frame

    @property
    def missed(self) -> int:
        """Frames that the server left out, because this client was slow or away."""
        return self._decoder.missed

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        """Wait for the next frame. Raises Lost where none can come any more."""
        gone = 0.0  # when the server was lost
        while not self._closed:
            try:
                if gone:
                    self.rejoin()
                    gone = 0.0
                while (frame := self._update()) is None:
                    pass
                return frame
            except Lost as lost:
                if self._closed:  # meanwhile, by another thread
                    break
                gone = gone or time.monotonic()
                if not lost.again or time.monotonic() - gone >= self._patience:
                    raise
                time.sleep(0.1)
        raise StopIteration

    def rejoin(self) -> None:
        """Go on with the session in a new stream, after `Lost`, from the frame after the last."""
        self._updates.cancel()
        self._stop_submitting()
        self._join(self.session, self.frame.number if self.frame else 0)

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
    ) -> int:
        """Push a body, along the axes of the world: N and N·m for a number of control steps, m/s once."""
        return self._submit(
            push={
                "world": world, "body": body, "steps": steps,
                "force": _numbers(force), "torque": _numbers(torque), "velocity": _numbers(velocity),
            }
        )

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
        """Change the clock from the next step on: `[{"set_rate": {"name": "Robot", "rate": "200"}}]`, see docs/time.md."""
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
        them have under `applied` and `decisions`.
        """
        call = self._channel.unary_unary(
            _SERVICE + "Step", request_serializer=_encode, response_deserializer=_wire["StepReply"].FromString
        )
        request = _message("StepRequest", {"session": self.session, "steps": steps})
        try:
            n = call(request, metadata=self._metadata).n
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
        with self._lock:
            self._ids += 1
            intent = _message("Intent", {"id": self._ids, **kind})
            if self._outgoing is None or self._acks is None:
                intent.session = self.session
                self._outgoing = queue.SimpleQueue()
                call = self._channel.stream_stream(
                    _SERVICE + "Submit", request_serializer=_encode, response_deserializer=_wire["Ack"].FromString
                )
                self._acks = call(iter(self._outgoing.get, None), metadata=self._metadata)
            self._outgoing.put(intent)
            try:
                ack = next(self._acks)
            except (StopIteration, grpc.RpcError) as error:
                self._outgoing.put(None)
                self._outgoing = self._acks = None
                raise _lost(error) from None
        if ack.error:
            raise Refused(ack.error)
        return ack.number

    def _stop_submitting(self) -> None:
        with self._lock:
            if self._outgoing is not None:
                self._outgoing.put(None)
            self._outgoing = self._acks = None

    def close(self) -> None:
        """Leave the run. The session can be joined again for a minute."""
        if not self._closed:
            self._closed = True
            self._stop_submitting()
            self._updates.cancel()
            self._channel.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Decider:
    """Decisions that are due in a live run; `Client.decide` makes one.

    Iterating gives each decision as it is asked. At most one of each world waits for its reply at
    a time. One thread may wait for decisions while others reply. Where the server is gone, it goes
    on deciding with a run that is there again within the client's `patience`; decisions that were
    asked before have been withdrawn, and `reply` raises `Lost` meanwhile.
    """

    def __init__(self, client: Client, worlds: Iterable[int] | None) -> None:
        self._client, self._worlds = client, list(worlds or [])
        self._decisions: queue.SimpleQueue[Decision | None] = queue.SimpleQueue()  # None: there are no more
        self._acks: dict[int, queue.SimpleQueue[Any]] = {}  # by id of the intent; what comes is an Ack or None
        self._lock = threading.Lock()  # of _acks, _ids, _lost, _outgoing and _updates
        self._ids = 0
        self._lost: str | None = None  # why there is no stream
        self._closed = False
        assert client._decoder.description is not None
        self._tracks = list(client._decoder._tracks)
        begun: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._begin(begun)
        threading.Thread(target=self._read, args=(begun,), name="polyrhythm.live.decide", daemon=True).start()
        try:
            self._number(begun)
        except BaseException:
            self.close()
            raise

    def _begin(self, begun: queue.SimpleQueue[Any]) -> None:
        """Open a stream that begins with Decide; begun gets its Ack, or None."""
        call = self._client._channel.stream_stream(
            _SERVICE + "Decide", request_serializer=_encode, response_deserializer=_wire["Update"].FromString
        )
        intent = _message("Intent", {"session": self._client.session, "decide": {"worlds": self._worlds}})
        with self._lock:
            self._lost = None
            self._outgoing: queue.SimpleQueue[Any] = queue.SimpleQueue()
            self._updates = call(iter(self._outgoing.get, None), metadata=self._client._metadata)
            self._put(intent, begun)
            if self._closed:
                self._outgoing.put(None)
                self._updates.cancel()

    def _read(self, begun: queue.SimpleQueue[Any]) -> None:
        """Take what comes, on a thread of its own, until there can be no more."""
        gone = 0.0  # when the server was lost
        while True:
            why, again, answered = self._follow(begun)
            with self._lock:
                self._lost = why
                self._outgoing.put(None)
                left, self._acks = list(self._acks.values()), {}
            for waiting in left:
                waiting.put(None)
            gone = time.monotonic() if answered else gone or time.monotonic()
            if self._closed or not again or time.monotonic() - gone >= self._client._patience:
                break
            time.sleep(0.1)
            begun = queue.SimpleQueue()
            self._begin(begun)
        self._decisions.put(None)

    def _follow(self, begun: queue.SimpleQueue[Any]) -> tuple[str, bool, bool]:
        """Take what comes on a stream. Returns why it has ended, whether there may be another, and whether anything came."""
        answered = False
        try:
            for update in self._updates:
                answered = True
                if update.WhichOneof("kind") == "decision":
                    self._decisions.put(self._decision(update.decision))
                elif update.WhichOneof("kind") == "ack":
                    with self._lock:
                        waiting = self._acks.pop(update.ack.id, None)
                    if waiting is not None:
                        waiting.put(update.ack)
                    if waiting is begun and update.ack.error:
                        return update.ack.error, False, True
        except grpc.RpcError as error:
            lost = _lost(error)
            return str(lost), lost.again, answered
        except ValueError as error:
            return f"a decision is not valid: {error}", False, answered
        return "the server has ended the stream of decisions", False, answered

    def _decision(self, d: Any) -> Decision:
        poses, channels = np.zeros((0, 7)), {}
        for track, had in zip(self._tracks, d.tracks, strict=True):
            values = np.array(had.values, np.float64)
            if track.name == "poses" and track.pose_size:
                poses = values.reshape(-1, track.pose_size)
            else:
                channels[track.name.removeprefix("channel/")] = values
        return Decision(
            id=d.id,
            world=d.world,
            episode=d.episode,
            ns=d.ns,
            n=d.n,
            observation=np.array(d.observation, np.float64),
            poses=poses,
            channels=channels,
            last=json.loads(d.last) if d.last else None,
            within_ns=d.within_ns,
            traceparent=d.traceparent,
        )

    def _submit(self, intent: Any) -> int:
        waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
        with self._lock:
            if self._lost is not None:
                raise Lost(self._lost)
            self._put(intent, waiting)
        return self._number(waiting)

    def _put(self, intent: Any, waiting: queue.SimpleQueue[Any]) -> None:
        """Send an intent whose Ack comes to waiting. The lock is held."""
        self._ids += 1
        intent.id = self._ids
        self._acks[intent.id] = waiting
        self._outgoing.put(intent)

    def _number(self, waiting: queue.SimpleQueue[Any]) -> int:
        """Wait for an Ack, and return its number."""
        ack = waiting.get()
        if ack is None:
            raise Lost(self._lost or "the server was gone")
        if ack.error:
            raise Refused(ack.error)
        return ack.number

    def __iter__(self) -> Iterator[Decision]:
        return self

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
        if decision is None:
            self._decisions.put(None)  # for the next call
            if self._closed:
                return None
            raise Lost(self._lost)
        return decision

    def reply(self, decision: Decision | str, answer: Mapping[str, Any] | str) -> int:
        """Answer a decision, given by itself or its id, and return the number of the intent.

        The answer is of the schema `description.reply_schema`, as a mapping or as JSON:
        `{"commands": {"velocity": {"forward": 0.5, "left": 0, "yaw_rate": 0}}, "why": "the way is free"}`.
        It is applied at the next decision point, or refused there as late, stale or of the wrong
        episode; `Frame.decisions` says which.

        Raises:
            Refused: the answer breaks the schema. While the decision waits, it can be corrected.
        """
        text = answer if isinstance(answer, str) else json.dumps(answer)
        ident = decision if isinstance(decision, str) else decision.id
        return self._submit(_message("Intent", {"reply": {"id": ident, "json": text}}))

    def close(self) -> None:
        """Decide no longer: the decisions that wait are withdrawn."""
        with self._lock:
            self._closed = True
            self._outgoing.put(None)
            self._updates.cancel()

    def __enter__(self) -> Decider:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Capture:
    """Captures of a live run; `Client.capture` makes one.

    Iterating gives each capture, those of a world in order of time. The server drops what a client
    does not read, see `missed`; one that reads nothing for 5 s is closed. Where the server is gone,
    it captures again what a run that is there within the client's `patience` does then; `missed` does not
    count what was in between. One thread at a time may iterate.
    """

    def __init__(
        self, client: Client, runner: str, values: Iterable[str] | None, worlds: Iterable[int] | None, every: int
    ) -> None:
        self.missed = 0  # captures that the server left out, because the client was slow
        self._names = tuple(() if values is None else values) or tuple(client.description.capture_values)
        self._closed = False
        self._captured: list[Any] = []  # that have come, the next one last
        self._client = client
        request = {"runner": runner, "values": self._names, "worlds": list(worlds or []), "every": every}
        self._request = _message("CaptureRequest", request)
        self._begin()

    def _begin(self) -> None:
        call = self._client._channel.unary_stream(
            _SERVICE + "Capture", request_serializer=_encode, response_deserializer=_wire["Captures"].FromString
        )
        self._stream = call(self._request, metadata=self._client._metadata)
        if "capture" in dict(self._stream.initial_metadata() or ()):
            return
        if self._stream.code() is grpc.StatusCode.INVALID_ARGUMENT:
            raise Refused(str(self._stream.details()))
        lost = Lost(str(self._stream.details()))
        lost.again = self._stream.code() is grpc.StatusCode.UNAVAILABLE
        raise lost

    def __iter__(self) -> Iterator[Captured]:
        return self

    def __next__(self) -> Captured:
        """Wait for the next capture. Raises Lost where none can come any more."""
        gone = 0.0  # when the server was lost
        while not self._captured:
            if self._closed:
                raise StopIteration
            try:
                if gone:
                    time.sleep(0.1)
                    self._begin()
                    gone = 0.0
                message = next(self._stream)
            except (StopIteration, grpc.RpcError, Lost) as error:
                if self._closed:  # meanwhile, by another thread
                    raise StopIteration from None
                lost = error if isinstance(error, Lost) else _lost(error, grpc.StatusCode.UNAVAILABLE)
                gone = gone or time.monotonic()
                if not lost.again or time.monotonic() - gone >= self._client._patience:
                    raise lost from None
                continue
            self.missed += message.missed
            self._captured = list(reversed(message.captures))
        c = self._captured.pop()
        return Captured(
            world=c.world,
            episode=c.episode,
            n=c.n,
            k=c.k,
            ns=c.ns,
            dt_ns=c.dt_ns,
            beat=c.beat,
            values={name: np.array(s.values, np.float64) for name, s in zip(self._names, c.values, strict=True)},
            timestamps={
                name: s.ns if s.HasField("ns") else -1 for name, s in zip(self._names, c.values, strict=True)
            },
        )

    def close(self) -> None:
        """End the capture."""
        self._closed = True
        self._stream.cancel()

    def __enter__(self) -> Capture:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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


def _lost(error: Exception, *again: Any) -> Lost:
    """What an error of a call means, and whether it is one after which there may be a server again."""
    if not isinstance(error, grpc.Call):
        return Lost("the server has ended the connection")
    lost = Lost(str(error.details()))
    lost.again = error.code() in (again or (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED))
    return lost
