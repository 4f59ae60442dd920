import ctypes
import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from thresher.cli.main import main
from thresher.errors import InputError
from thresher.native.kernel import Array, Kernel
from thresher.native.library import kernels_in_use, library
from thresher.native.threads import threads_for
from thresher.version import __version__

SOURCES = Path(__file__).parents[2] / "src" / "thresher" / "native"


@pytest.fixture
def fresh(monkeypatch):
    """Look the library up again, with variables of this test; afterwards as before."""
    library.cache_clear()
    yield monkeypatch
    library.cache_clear()


def test_numpy_can_be_forced(fresh):
    fresh.setenv("THRESHER_KERNELS", "numpy")
    assert library() is None
    assert kernels_in_use() == "numpy"


def test_without_the_library_numpy_computes(fresh, tmp_path):
    fresh.delenv("THRESHER_KERNELS", raising=False)
    fresh.setattr("thresher.native.library._LIBRARY", tmp_path / "_kernels.so")
    assert kernels_in_use() == "numpy"


@pytest.mark.parametrize("choice", ["native", "elsewhere"])
def test_a_demanded_library_that_is_missing_is_an_error(fresh, tmp_path, choice):
    fresh.setenv("THRESHER_KERNELS", choice if choice == "native" else str(tmp_path / choice))
    fresh.setattr("thresher.native.library._LIBRARY", tmp_path / "_kernels.so")
    with pytest.raises(InputError, match=r"THRESHER_KERNELS=.* cannot be loaded"):
        library()


def test_a_file_that_is_not_a_library_is_ignored_with_one_line(fresh, tmp_path):
    (tmp_path / "_kernels.so").write_text("text")
    fresh.delenv("THRESHER_KERNELS", raising=False)
    fresh.setattr("thresher.native.library._LIBRARY", tmp_path / "_kernels.so")
    with pytest.warns(UserWarning, match=r"_kernels\.so was compiled .* is ignored: run make native"):
        assert library() is None


def test_a_library_of_other_sources_is_ignored(native, fresh):
    fresh.setattr("thresher.native.library._expected", lambda _: 1)
    with pytest.warns(UserWarning, match="other sources"):
        assert kernels_in_use() == "numpy"


def test_the_build_and_the_loader_compute_the_same_number(native):
    build = SOURCES.parents[2] / "hatch_build.py"
    code = f"import runpy; print(runpy.run_path({str(build)!r})['interface_number']())"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(printed) == library().thresher_abi()


@pytest.fixture
def build(monkeypatch, tmp_path):
    """The script that compiles, for a source of one line."""
    script = SOURCES.parents[2] / "hatch_build.py"
    specification = importlib.util.spec_from_file_location("hatch_build", script)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    (tmp_path / "cpp").mkdir()
    function = 'extern "C" __attribute__((visibility("default"))) int one() { return 1; }\n'
    (tmp_path / "cpp" / "one.cpp").write_text(function)
    monkeypatch.setattr(module, "PACKAGE", tmp_path)
    monkeypatch.setattr(module, "COMPILED", tmp_path / "compiled")
    return module


def test_equal_sources_are_compiled_once(native, build, tmp_path, monkeypatch):
    commands, run = [], build._run
    monkeypatch.setattr(build, "_run", lambda command: commands.append(command) or run(command))
    for name in ("first.so", "second.so"):
        build.compile_library(tmp_path / name, ("-O0",))
    assert len(commands) == 2, "one source, and linking"
    assert (tmp_path / "first.so").read_bytes() == (tmp_path / "second.so").read_bytes()
    build.compile_library(tmp_path / "third.so", ("-O1",))
    assert len(commands) == 4
    (tmp_path / "cpp" / "one.h").write_text("// a header")
    build.compile_library(tmp_path / "fourth.so", ("-O0",))
    assert len(commands) == 6
    assert ctypes.CDLL(str(tmp_path / "fourth.so")).one() == 1
    assert not list(tmp_path.glob(".*"))


def test_the_libraries_of_the_last_sources_are_kept(native, build, tmp_path, monkeypatch):
    monkeypatch.setattr(build, "_MOST_KEPT", 2)
    for level in range(3):
        build.compile_library(tmp_path / "library.so", (f"-O{level}",))
    assert len(list((tmp_path / "compiled").iterdir())) == 2


_TEXTS = Array("uint8"), Array("int64")
_squad = Kernel("squad_counts", *_TEXTS, *_TEXTS, Array("uint8"), int, Array("int64", written=True))


def test_arguments_are_checked_before_their_addresses_are_passed(native):
    data, offsets, classes = np.zeros(2, np.uint8), np.array([0, 2]), np.zeros(0x110000, np.uint8)
    counts = np.zeros(4, np.int64)
    _squad(data, offsets, data, offsets, classes, 1, counts)
    with pytest.raises(TypeError, match="needs an array of uint8, not int64"):
        _squad(offsets, offsets, data, offsets, classes, 1, counts)
    with pytest.raises(TypeError, match="needs an array of uint8, not list"):
        _squad([0], offsets, data, offsets, classes, 1, counts)
    with pytest.raises(TypeError, match="contiguous"):
        _squad(np.zeros(4, np.uint8)[::2], offsets, data, offsets, classes, 1, counts)
    counts.flags.writeable = False
    with pytest.raises(TypeError, match="that it can write"):
        _squad(data, offsets, data, offsets, classes, 1, counts)
    with pytest.raises(ValueError, match="zip"):
        _squad(data)


@pytest.mark.parametrize("offsets", [[0, 3], [2, 1], [-1, 2], [0, 1, 2], []])
def test_sizes_that_contradict_each_other_are_refused(native, offsets):
    data, classes, counts = np.zeros(2, np.uint8), np.zeros(0x110000, np.uint8), np.zeros(4, np.int64)
    with pytest.raises(ValueError, match="sizes of its arrays contradict each other"):
        _squad(data, np.array(offsets, np.int64), data, np.array([0, 2]), classes, 1, counts)


def test_too_little_memory_is_a_memory_error(native, fresh):
    fresh.setattr(Kernel, "_function", lambda _: lambda: 1)
    with pytest.raises(MemoryError, match="squad_counts: not enough memory"):
        Kernel("squad_counts")()


def test_threads_follow_work_and_the_variable(monkeypatch):
    monkeypatch.setenv("THRESHER_THREADS", "3")
    assert [threads_for(work, 100) for work in (0, 199, 200, 10_000)] == [1, 1, 2, 3]
    for wrong in ("0", "-1", "many"):
        monkeypatch.setenv("THRESHER_THREADS", wrong)
        with pytest.raises(InputError, match=f"THRESHER_THREADS={wrong} is not a number of threads"):
            threads_for(10_000, 100)
    monkeypatch.delenv("THRESHER_THREADS")
    assert 1 <= threads_for(10**9, 1) <= 8


def test_the_command_line_prints_which_kernels_compute(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"thresher {__version__}, kernels: {kernels_in_use()}\n"
