"""What is no file, where a file of ours is wanted, is refused at once, and a file that is too long too."""

import os
import re
import socket
import tracemalloc

import pytest

from polyrhythm import dataset
from polyrhythm._files import MAX_STATE, open_file, read_file


@pytest.fixture(params=["pipe", "socket", "zero", "folder", "link to a pipe"])
def strange(request, tmp_path):
    path = tmp_path / "strange"
    if request.param == "socket":
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(os.fspath(path))
            yield path
        return
    if request.param == "folder":
        path.mkdir()
    elif request.param == "zero":
        path.symlink_to("/dev/zero")
    elif request.param == "pipe":
        os.mkfifo(path)
    else:
        os.mkfifo(tmp_path / "pipe")
        path.symlink_to(tmp_path / "pipe")
    yield path


def test_what_is_no_file_is_refused(strange):
    for read in (open_file, lambda path: read_file(path, 10)):
        with pytest.raises((ValueError, OSError), match=re.escape(os.fspath(strange))):
            read(strange)


def test_a_file_is_read_up_to_its_bound(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    assert read_file(path, 10) == b"0123456789" and open_file(path).read(3) == b"012"
    with pytest.raises(ValueError, match="file has more than 9 bytes, want at most that"):
        read_file(path, 9)


def test_a_small_file_takes_little_memory(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    tracemalloc.start()
    try:
        assert read_file(path, MAX_STATE) == b"0123456789"
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_file_that_states_no_size_is_read():
    status = read_file("/proc/self/status", MAX_STATE)
    assert os.stat("/proc/self/status").st_size == 0 and status.startswith(b"Name:")


def test_a_shard_that_is_no_file_is_refused(strange):
    pytest.importorskip("pyarrow")
    strange.rename(strange.with_name("data-00000-of-00001.arrow"))
    with pytest.raises((ValueError, OSError), match="data-00000-of-00001.arrow"):
        dataset._read(strange.parent)


def test_a_certificate_that_is_no_file_is_refused(strange):
    live = pytest.importorskip("polyrhythm.live")
    with pytest.raises((ValueError, OSError), match=re.escape(os.fspath(strange))):
        live.connect("127.0.0.1:1", certificate=strange)
