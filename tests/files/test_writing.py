"""Files are written whole or not at all, by one module only."""

import ast
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import thresher
from thresher.errors import DiskFullError, InputError
from thresher.files.temporary import reserve, sweep
from thresher.files.writing import append_text, explain_write_errors, replace_file

SOURCE = Path(thresher.__file__).parent
WRITERS = {"write_text", "write_bytes", "to_excel", "to_parquet", "savefig", "mkstemp"}
LIBRARY_WRITERS = {"pq.write_table", "sqlite3.connect"}
OPENERS = {"open", "fdopen", "NamedTemporaryFile", "ZipFile"}
ALLOWED = {
    "files/writing.py": "the module that writes",
    "files/building.py": "files in a folder that appears whole",
    "judges/engine/answer_log_files.py": "a Parquet file in memory",
    "kernels/checks/sql_rows.py": "a database in memory, which can attach no file",
    "judges/engine/file_connection.py": "an SQLite file, which has transactions",
    "reports/exports/item_export.py": "a Parquet file in memory",
    "reports/rendering/formats/excel.py": "a ZIP archive in memory",
}


def names_in(folder):
    return {path.name for path in folder.iterdir()}


@pytest.fixture
def limited(monkeypatch):
    """A limit of 1,000 bytes on the size of a file, as `ulimit -f` sets it."""
    monkeypatch.setattr("sys.dont_write_bytecode", True)  # Python would leave truncated modules
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_text_or_bytes_replace_a_file_and_leave_nothing_else(tmp_path):
    path = tmp_path / "report.txt"
    replace_file(path, "é\r\n")
    assert path.read_bytes() == b"\xc3\xa9\r\n"
    replace_file(str(path), b"\0")
    assert path.read_bytes() == b"\0"
    replace_file(path, (f"{number}\n" for number in range(2)))
    assert path.read_bytes() == b"0\n1\n"
    assert names_in(tmp_path) == {"report.txt"}


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("before", [None, "old"])
def test_without_room_the_old_file_stays_and_nothing_is_left(tmp_path, before):
    path = tmp_path / "report.txt"
    if before is not None:
        path.write_text(before)
    with pytest.raises(DiskFullError, match=r"report\.txt cannot be written: File too large"):
        replace_file(path, "x" * 5000)
    assert (path.read_text() if path.exists() else None) == before
    assert names_in(tmp_path) == (set() if before is None else {"report.txt"})


def test_a_process_killed_while_it_writes_leaves_the_old_file_and_the_next_one_cleans_up(tmp_path):
    path = tmp_path / "report.txt"
    path.write_text("old")
    program = (
        "import os, signal, sys\n"
        "from thresher.files.writing import replace_file\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "replace_file(sys.argv[1], 'new')\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, path])
    assert killed.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    assert len(names_in(tmp_path)) == 2
    replace_file(path, "newer")
    assert names_in(tmp_path) == {"report.txt"}


def test_only_temporary_files_of_this_target_and_of_dead_processes_are_swept(tmp_path):
    with reserve(tmp_path / "a.txt") as mine, reserve(tmp_path / "b.txt") as other:
        host = mine.name.split(".")[2]
        names = {mine.name, other.name, "notes.tmp", "a.txt.tmp", f"b.txt.{host}.999999999.ab.tmp"}
        for name in (*names, f"a.txt.{host}.999999999.ab.tmp"):
            (tmp_path / name).touch()
        sweep(tmp_path, "a.txt")
        assert names_in(tmp_path) == names


def test_permissions_stay_and_new_files_have_the_usual_ones(tmp_path):
    path = tmp_path / "report.txt"
    replace_file(path, "a")
    (tmp_path / "usual").touch()
    assert path.stat().st_mode == (tmp_path / "usual").stat().st_mode
    path.chmod(0o640)
    replace_file(path, "b")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link_and_its_target_is_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "report.txt", tmp_path / "latest.txt"
    link.symlink_to(target)
    for text in ("first", "second"):
        replace_file(link, text)
        assert link.is_symlink()
        assert target.read_text() == text


def test_a_pipe_or_a_device_is_written_directly(tmp_path):
    replace_file("/dev/null", "x")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    replace_file(pipe, "through")
    reader.join(10)
    assert received == ["through"]
    if Path("/dev/full").exists():
        with pytest.raises(DiskFullError, match="No space left"):
            replace_file("/dev/full", "x")


def test_a_name_as_long_as_the_file_system_allows_can_be_written(tmp_path):
    for name in ("n" * 255, "é" * 127):
        replace_file(tmp_path / name, "x")
        assert (tmp_path / name).read_text() == "x"


@pytest.mark.parametrize(
    ("name", "message"),
    [("no/folder.txt", "No such file"), ("", "Is a directory"), ("file/x.txt", "Not a directory")],
)
def test_a_place_that_cannot_be_written_is_named(tmp_path, name, message):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=f"cannot be written: {message}"):
        replace_file(tmp_path / name, "x")


@pytest.mark.usefixtures("limited")
def test_appending_without_room_is_the_same_error(tmp_path):
    with pytest.raises(DiskFullError, match="File too large"):
        append_text(tmp_path / "summary", "x" * 5000)


def writes(source):
    """Lines of a module that write files by other means than `thresher.files`."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        is_method = isinstance(node.func, ast.Attribute)
        name = node.func.attr if is_method else getattr(node.func, "id", "")
        is_writer = is_method and (name in WRITERS or ast.unparse(node.func) in LIBRARY_WRITERS)
        if is_writer or (name in OPENERS and modes(node)):
            yield node.lineno


def modes(call):
    """The modes of opening among the texts of a call that allow to write."""
    words = [n.value for n in ast.walk(call) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return {word for word in words if word and set(word) <= set("rwaxbt+") and set(word) & set("wax+")}


def test_no_other_module_writes_files():
    writers = {
        path.relative_to(SOURCE).as_posix(): lines
        for path in SOURCE.rglob("*.py")
        if (lines := list(writes(path.read_text(encoding="utf-8"))))
    }
    assert set(writers) == set(ALLOWED), writers


@pytest.mark.parametrize(
    "line",
    [
        "path.write_text(x)",
        "open(p, 'w')",
        "Path(p).open(mode='ab')",
        "gzip.open(p, 'wt')",
        "pq.write_table(t, p)",
        "sqlite3.connect(p)",
        "frame.to_excel(p)",
    ],
)
def test_a_write_by_another_way_is_noticed(line):
    assert list(writes(line)) == [1]
    assert not list(writes("open(p)\nopen(p, 'rb')\nzipfile.ZipFile(p)\nreplace_file(p, t)"))


def test_an_error_of_the_system_that_is_not_a_lack_of_room_keeps_its_class():
    with pytest.raises(InputError, match="x cannot be written: bad"), explain_write_errors("x", InputError):
        raise OSError(5, "bad")
