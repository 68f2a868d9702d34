"""The C library: found, loaded at the first use, and called.

Go's runtime lives inside the library and does not survive a fork, so the library
is loaded as late as possible and every call makes sure that it runs in the
process that loaded it.
"""

from __future__ import annotations

import atexit
import ctypes
import errno
import json
import os
import re
import resource
import sys
import threading
import weakref
from ctypes import byref, c_bool, c_char, c_double, c_int32, c_int64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.error import ClosedEnvironmentError

from polyrhythm._processes import Failed, Lost, Processes

FOLDER = Path(__file__).parent / "_lib"
PATH = FOLDER / "libpolyrhythm.so"
HEADER = FOLDER / "libpolyrhythm.h"  # cgo writes it with the library

_MESSAGE = 8192  # bytes of an error's text
_DONE, _USAGE, _MEMORY, _VERSION, _MISSING = 0, 2, 4, 5, 6


class Error(RuntimeError):
    """What the library could not do: the message says why and what to do."""


class ForkError(Error):
    """The library was used in a forked child of the process that loaded it."""


class NotFound(FileNotFoundError, ValueError, Error):
    """A file or folder is not there; `filename` is its path.

    It is a ValueError, as every argument that is wrong, and an Error, since a file may also be gone later.
    """

    def __str__(self) -> str:
        return str(self.strerror)


def not_found(path: str, message: str) -> NotFound:
    """The error about a path, whose message names it."""
    return NotFound(errno.ENOENT, message, path)


def check_installed() -> None:
    """Raise ImportError where the C library is not part of the package."""
    for path in (PATH, HEADER):
        if path.exists():
            continue
        raise ImportError(
            f"polyrhythm's C library is missing: there is no {path}. Build it in the checkout with "
            "`cmake --preset default && cmake --build --preset default`, and where the package was "
            "installed with pip, install it again with `pip install ./python`."
        )


CALLBACK = ctypes.CFUNCTYPE(c_int32, c_int32, c_double)  # of a frame
_TYPES = {"int32_t": c_int32, "int64_t": c_int64, "_Bool": c_bool, "double": c_double, "polyrhythm_callback": CALLBACK}


class Library:
    """The loaded library. Its functions may be called from any thread."""

    def __init__(self) -> None:
        check_installed()
        _check_address_space()
        try:
            self.c = ctypes.CDLL(str(PATH))
        except OSError as error:
            raise ImportError(f"polyrhythm's C library does not load: {error}") from error
        for name, arguments in re.findall(r"^extern int32_t (\w+)\((.*)\);", HEADER.read_text(), re.MULTILINE):
            types = [argument.rpartition(" ")[0] for argument in arguments.split(", ")]
            function = self.function(name)
            function.argtypes = [c_void_p if type.endswith("*") else _TYPES[type] for type in types]
            function.restype = c_int32
        self.c.polyrhythm_free.argtypes, self.c.polyrhythm_free.restype = [c_void_p], None
        self.pid = os.getpid()

    def function(self, name: str) -> Any:
        """A function of the library, which returns its status."""
        try:
            return getattr(self.c, name)
        except AttributeError:
            raise ImportError(f"polyrhythm's C library at {PATH} is of another version; build it again") from None

    def check_process(self) -> None:
        """Raise ForkError in a process other than the one that loaded the library."""
        if os.getpid() != self.pid:
            raise ForkError(
                "polyrhythm was in use before this process was forked, and its threads do not exist here. "
                "Start the process with the method 'spawn' or 'forkserver' (for Gymnasium's AsyncVectorEnv: "
                "context='spawn'), or make no polyrhythm environment before forking."
            )

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function; raise what it reports."""
        self.check_process()
        text = ctypes.create_string_buffer(_MESSAGE)
        status = self.function(name)(*arguments, text, _MESSAGE)
        if status != _DONE:
            raise_status(status, text)

    def ask(self, name: str, arguments: Any = None, data: bytes | None = None, number: c_int64 | None = None) -> Any:
        """Call a function of polyrhythm_ask with arguments that are or become JSON, bytes, and a handle.

        Returns what it answers, and the bytes that go with it.
        """
        text = arguments if isinstance(arguments, bytes) else json.dumps(arguments).encode()
        buffer, sizes, number = c_void_p(), (c_int64 * 2)(), c_int64() if number is None else number
        self.call("polyrhythm_ask", name.encode(), byref(number), text, data, len(data or b""), byref(buffer), sizes)
        try:
            answer = json.loads(ctypes.string_at(buffer.value or 0, sizes[0]))
            return answer, ctypes.string_at((buffer.value or 0) + sizes[0], sizes[1])
        finally:
            self.c.polyrhythm_free(buffer)


def raise_status(status: int, message: Any) -> None:
    """Raise the exception for a status that is not 0; the buffer `message` says why."""
    text = message.value.decode(errors="replace")
    if status == _MISSING:  # the path comes after the text
        raise not_found(os.fsdecode(message.raw[len(message.value) + 1 :].partition(b"\0")[0]), text)
    raise {_USAGE: ValueError, _MEMORY: MemoryError, _VERSION: ImportError}.get(status, Error)(text)


def _check_address_space() -> None:
    """Raise MemoryError where a limit leaves no room for the library, which would end the process.

    Go's runtime and malloc reserve far more addresses than they ever use: 2 GiB, and 72 MiB for
    each of two threads per processor.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    needed = (2 << 30) + (144 << 20) * (os.cpu_count() or 1)
    left = limit - int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    if left < needed:
        raise MemoryError(
            f"polyrhythm's library needs {needed / 2**30:.1f} GiB of address space (ulimit -v); "
            f"{max(left, 0) / 2**30:.1f} GiB are left"
        )


_library: Library | None = None
_loading = threading.Lock()


def library() -> Library:
    """The library, loaded now if it was not yet."""
    global _library
    if _library is None:
        with _loading:
            if _library is None:
                _library = Library()
    _library.check_process()
    return _library


_descriptions: dict[bytes, Any] = {}


def describe(request: bytes, *, keep: bool) -> Any:
    """What the worlds of a request look like, without loading the library here.

    A process that has not loaded it asks another one, so that it can still be
    forked afterwards. An answer is kept for the next time if nothing but the request
    decides it.
    """
    if not keep or request not in _descriptions:
        if _library is not None and _library.pid == os.getpid():
            answer, _ = _library.ask("describe", request)
        else:
            answer = _ask(request)
        _descriptions[request] = answer
    return _descriptions[request]


def _ask(request: bytes) -> Any:
    check_installed()
    worker = Processes().start("polyrhythm._library:_Asked")
    try:
        answer, error = worker.call("describe", request).result()
    except (Failed, Lost) as reason:
        raise Error(f"the library could not be asked: {reason}") from None
    finally:
        worker.stop()
    if error is not None:
        raise error
    return answer


class _Asked:
    """What the process that is asked has."""

    def describe(self, request: bytes) -> tuple[Any, Exception | None]:
        try:
            return library().ask("describe", request)[0], None
        except (ValueError, MemoryError, Error) as error:
            return None, error


class Open:
    """What is open in the library, with what that has answered.

    It is released when nobody refers to it any more: not in a forked child, and not when Python ends, which
    frees everything. The number is read then, so that no Ctrl-C comes between the handle and this.
    """

    def __init__(self, name: str, arguments: Any = None, data: bytes | None = None) -> None:
        self.library = opener = library()
        self.number = number = c_int64()

        def release() -> None:
            if os.getpid() == opener.pid:
                opener.ask("release", number=number)

        weakref.finalize(self, release).atexit = False
        self.description, _ = opener.ask(name, arguments, data, number)

    def ask(self, name: str, arguments: Any = None, data: bytes | None = None) -> Any:
        """As `Library.ask`, of what is open."""
        return self.library.ask(name, arguments, data, self.number)


class Handle(Open):
    """Worlds. Arrays over their memory refer to this: they stay valid as long as they live, also after close."""

    def __init__(self, request: bytes) -> None:
        super().__init__("open", request)
        self.closed = False
        _open.add(self)

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of the library with this handle."""
        self._check_open()
        self.library.call(name, self.number, *arguments)

    def ask(self, name: str, arguments: Any = None, data: bytes | None = None) -> Any:
        """As `Open.ask`, until they are closed."""
        self._check_open()
        return super().ask(name, arguments, data)

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("this environment is closed; make a new one")

    def array(self, name: str, *, writeable: bool) -> np.ndarray:
        """The array `name` of the worlds: the library's own memory."""
        about = self.description["buffers"][name]
        shape, dtype = tuple(about["shape"]), np.dtype(about["type"])
        size = int(np.prod(shape)) * dtype.itemsize
        if size == 0:
            return np.zeros(shape, dtype)
        memory = (c_char * size).from_address(about["address"])
        memory.handle = self  # the array refers to memory, and memory to us
        view = memoryview(memory)
        return np.frombuffer(view if writeable else view.toreadonly(), dtype).reshape(shape)

    def close(self) -> None:
        """Close what is open; arrays stay valid. It does nothing a second time, or in a forked child."""
        if not self.closed:
            self.closed = True
            if os.getpid() == self.library.pid:
                super().ask("close")


_open: weakref.WeakSet[Handle] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Finish the datasets of environments that nobody closed."""
    for handle in list(_open):
        try:
            handle.close()
        except Error as error:  # the others are to be finished too
            print(f"polyrhythm: an environment that was left open: {error}", file=sys.stderr)


def pointer(array: np.ndarray | None) -> int | None:
    """The address of an array's memory, None of None."""
    return None if array is None else array.ctypes.data
