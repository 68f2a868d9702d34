"""The C library: found, loaded at the first use, and called.

Go's runtime lives inside the library and does not survive a fork, so the library
is loaded as late as possible and every call makes sure that it runs in the
process that loaded it.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import resource
import subprocess
import sys
import threading
import weakref
from ctypes import POINTER, byref, c_bool, c_char, c_char_p, c_double, c_int32, c_int64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.error import ClosedEnvironmentError

FOLDER = Path(__file__).parent / "_lib"
PATH = FOLDER / "libpolyrhythm.so"

_MESSAGE = 8192  # bytes of an error's text
_DONE, _USAGE, _MEMORY = 0, 2, 4


class Error(RuntimeError):
    """What the library could not do: the message says why and what to do."""


class ForkError(Error):
    """The library was used in a forked child of the process that loaded it."""


def check_installed() -> None:
    """Raise ImportError where the C library is not part of the package."""
    if not PATH.exists():
        raise ImportError(
            f"polyrhythm's C library is missing: there is no {PATH}. Build it in the checkout with "
            "`cmake --preset default && cmake --build --preset default`, and where the package was "
            "installed with pip, install it again with `pip install ./python`."
        )


CALLBACK = ctypes.CFUNCTYPE(c_int32, c_int32, c_double)  # of a frame
_TEXT = [c_char_p, c_int32]  # every function ends in a buffer for its message
_SIGNATURES: dict[str, list[Any]] = {
    "polyrhythm_tasks": [POINTER(c_void_p), *_TEXT],
    "polyrhythm_describe": [c_char_p, POINTER(c_void_p), *_TEXT],
    "polyrhythm_open": [c_char_p, POINTER(c_int64), POINTER(c_void_p), *_TEXT],
    "polyrhythm_close": [c_int64, *_TEXT],
    "polyrhythm_release": [c_int64, *_TEXT],
    "polyrhythm_step": [c_int64, POINTER(c_int32), POINTER(c_int32), *_TEXT],
    "polyrhythm_reset": [c_int64, c_void_p, c_void_p, c_void_p, *_TEXT],
    "polyrhythm_send": [c_int64, c_void_p, c_int32, c_void_p, *_TEXT],
    "polyrhythm_receive": [c_int64, c_int32, c_int32, c_void_p, POINTER(c_int32), *_TEXT],
    "polyrhythm_under_way": [c_int64, POINTER(c_int32), *_TEXT],
    "polyrhythm_fault": [c_int64, c_int32, c_char_p, c_int32, *_TEXT],
    "polyrhythm_render": [c_int64, c_char_p, c_int32, c_void_p, c_int64, *_TEXT],
    "polyrhythm_begins": [c_int64, c_void_p, *_TEXT],
    "polyrhythm_state": [c_int64, POINTER(c_void_p), POINTER(c_int64), *_TEXT],
    "polyrhythm_set_state": [c_int64, c_char_p, c_int64, *_TEXT],
    "polyrhythm_loop": [c_int64, c_int64, c_void_p, c_int64, c_bool, POINTER(c_double), *_TEXT],
    "polyrhythm_drive_open": [c_int64, c_char_p, POINTER(c_int64), *_TEXT],
    "polyrhythm_drive_frame": [c_int64, CALLBACK, POINTER(c_double), *_TEXT],
    "polyrhythm_drive_close": [c_int64, *_TEXT],
    "polyrhythm_policy_open": [c_char_p, POINTER(c_int64), POINTER(c_void_p), *_TEXT],
    "polyrhythm_policy_act": [c_int64, c_void_p, c_int32, c_int32, c_void_p, c_void_p, *_TEXT],
    "polyrhythm_policy_close": [c_int64, *_TEXT],
    "polyrhythm_rollout": [c_char_p, POINTER(c_void_p), *_TEXT],
    "polyrhythm_slice_open": [c_char_p, c_char_p, c_int64, POINTER(c_int64), *_TEXT],
    "polyrhythm_slice_next": [c_int64, POINTER(c_void_p), POINTER(c_int64), POINTER(c_void_p), *_TEXT],
    "polyrhythm_slice_close": [c_int64, *_TEXT],
    "polyrhythm_split": [c_char_p, c_int32, POINTER(c_void_p), *_TEXT],
    "polyrhythm_merge": [c_char_p, POINTER(c_void_p), *_TEXT],
    "polyrhythm_learner_open": [c_char_p, POINTER(c_int64), POINTER(c_void_p), *_TEXT],
    "polyrhythm_learner_orders": [c_int64, c_int32, POINTER(c_void_p), POINTER(c_int64), *_TEXT],
    "polyrhythm_learner_add": [c_int64, c_char_p, c_int64, *_TEXT],
    "polyrhythm_learner_snapshot": [c_int64, c_int32, POINTER(c_void_p), POINTER(c_int64), *_TEXT],
    "polyrhythm_learner_state": [c_int64, POINTER(c_void_p), *_TEXT],
    "polyrhythm_learner_end": [c_int64, POINTER(c_void_p), *_TEXT],
    "polyrhythm_learner_close": [c_int64, *_TEXT],
    "polyrhythm_collector_open": [c_char_p, c_char_p, c_int64, POINTER(c_int64), *_TEXT],
    "polyrhythm_collector_collect": [c_int64, c_char_p, c_int64, POINTER(c_void_p), POINTER(c_int64), *_TEXT],
    "polyrhythm_collector_close": [c_int64, *_TEXT],
}


class Library:
    """The loaded library. Its functions may be called from any thread."""

    def __init__(self) -> None:
        check_installed()
        _check_address_space()
        try:
            self.c = ctypes.CDLL(str(PATH))
        except OSError as error:
            raise ImportError(f"polyrhythm's C library does not load: {error}") from error
        for name, arguments in _SIGNATURES.items():
            try:
                function = getattr(self.c, name)
            except AttributeError:
                raise ImportError(f"polyrhythm's C library at {PATH} is of another version; build it again") from None
            function.argtypes, function.restype = arguments, c_int32
        self.c.polyrhythm_free.argtypes, self.c.polyrhythm_free.restype = [c_void_p], None
        self.pid = os.getpid()
        self._texts = threading.local()

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
        text = getattr(self._texts, "buffer", None)
        if text is None:
            text = self._texts.buffer = ctypes.create_string_buffer(_MESSAGE)
        status = getattr(self.c, name)(*arguments, text, _MESSAGE)
        if status != _DONE:
            raise_status(status, text.value)

    def on_death(self, owner: Any, name: str, number: c_int64) -> None:
        """Call a function with a handle's number when nobody refers to its owner any more.

        Not in a forked child, and not when Python ends, which frees everything. The
        number is read then, so that this comes before the handle and no Ctrl-C in between.
        """

        def call() -> None:
            if os.getpid() == self.pid:
                self.call(name, number)

        weakref.finalize(owner, call).atexit = False

    def text(self, name: str, *arguments: Any) -> Any:
        """Call a function whose last result is JSON; return what it says."""
        out = c_void_p()
        self.call(name, *arguments, byref(out))
        try:
            return json.loads(ctypes.string_at(out.value or 0))
        finally:
            self.c.polyrhythm_free(out)


def raise_status(status: int, message: bytes) -> None:
    """Raise the exception for a status that is not 0."""
    text = message.decode(errors="replace")
    raise {_USAGE: ValueError, _MEMORY: MemoryError}.get(status, Error)(text)


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
            answer = _library.text("polyrhythm_describe", request)
        else:
            answer = _ask(request)
        _descriptions[request] = answer
    return _descriptions[request]


def _ask(request: bytes) -> Any:
    check_installed()
    program = (
        "import json, sys; sys.path[:] = json.loads(sys.argv[1])\n"
        "import polyrhythm._library as l\n"
        "try: answer = {'ok': l.library().text('polyrhythm_describe', sys.stdin.buffer.read())}\n"
        "except ValueError as e: answer = {'usage': str(e)}\n"
        "except MemoryError as e: answer = {'memory': str(e)}\n"
        "except Exception as e: answer = {'error': str(e)}\n"
        "print(json.dumps(answer))\n"
    )
    # It finds its modules where we do, wherever a program has put them.
    path = json.dumps([str(Path(__file__).parents[1]), *(entry for entry in sys.path if isinstance(entry, str))])
    run = subprocess.run([sys.executable, "-P", "-c", program, path], input=request, capture_output=True, check=False)
    try:
        answer = json.loads(run.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        raise Error(f"the library could not be asked: {run.stderr.decode(errors='replace').strip()}") from None
    if "usage" in answer:
        raise ValueError(answer["usage"])
    if "memory" in answer:
        raise MemoryError(answer["memory"])
    if "error" in answer:
        raise Error(answer["error"])
    return answer["ok"]


class Handle:
    """What is open in the library. It frees its memory when nobody refers to it.

    Arrays over that memory refer to the handle, so they stay valid as long as
    they live, also after close.
    """

    def __init__(self, request: bytes) -> None:
        self.library = library()
        number = c_int64()
        self.library.on_death(self, "polyrhythm_release", number)
        self.description = self.library.text("polyrhythm_open", request, byref(number))
        self.number = number.value
        self.closed = False
        _open.add(self)

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of the library with this handle."""
        if self.closed:
            raise ClosedEnvironmentError("this environment is closed; make a new one")
        self.library.call(name, self.number, *arguments)

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
        """Close what is open; arrays stay valid. Again, or in a forked child: nothing."""
        if not self.closed:
            self.closed = True
            if os.getpid() == self.library.pid:
                self.library.call("polyrhythm_close", self.number)


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
