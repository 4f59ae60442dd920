"""Entry points of installed packages."""

import os
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from thresher import plugins
from thresher.datasets import read_dataset, reader
from thresher.datasets.sources import open_source
from thresher.errors import InputError
from thresher.metrics.registry import plugins_without_metrics
from thresher.plugins import installed_plugins, load_plugin


@pytest.fixture
def searches(monkeypatch):
    """The searches of all installed packages, from none on."""
    calls = []
    monkeypatch.setattr(plugins, "entry_points", lambda: calls.append("search") or entry_points())
    plugins._installed.cache_clear()
    yield calls
    plugins._installed.cache_clear()


def test_packages_are_searched_once_for_all_groups(searches):
    groups = ("pytest11", "console_scripts", "thresher.metrics")
    for group in (*groups, *groups):
        assert installed_plugins(group) == tuple(entry_points(group=group))
    assert installed_plugins("pytest11")
    assert searches == ["search"]


def test_packages_are_searched_again_where_the_path_changed(searches, monkeypatch, tmp_path):
    info = tmp_path / "added-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: added\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[thresher.metrics]\nadded = added:Metric\n")
    before = installed_plugins()
    monkeypatch.syspath_prepend(tmp_path)
    assert {plugin.name for plugin in installed_plugins()} == {*(plugin.name for plugin in before), "added"}


READER = """
from thresher.datasets import reader

def read_lab(path):
    for line in path.read_text().splitlines():
        question, answer = line.split("~")
        yield {"question": question, "response": answer}

def broken(path):
    raise KeyError("speed")

def no_rows(path):
    return ["a line"]
"""


@pytest.fixture
def guest(monkeypatch, tmp_path):
    """Installs readers: suffix -> function of the module `guest_lab`; returns a function to read a file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(plugins.ALLOWLIST, "")

    def install(readers, module="guest_lab", code=READER):
        (tmp_path / f"{module}.py").write_text(code)
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        lines = "".join(f"{suffix} = {module}:{function}\n" for suffix, function in readers.items())
        (info / "entry_points.txt").write_text(f"[thresher.readers]\n{lines}")
        monkeypatch.syspath_prepend(tmp_path)

    (tmp_path / "a.lab").write_text("q~a\nr~b\n")
    yield install
    plugins.READERS.clear()
    plugins.LOADED.clear()
    for module in ("guest_lab", "other_lab"):
        sys.modules.pop(module, None)


def refused(path, **options):
    with pytest.raises(InputError) as caught:
        read_dataset(path, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_package_reads_files_of_its_suffix(guest, tmp_path):
    guest({"lab": "read_lab"})
    (tmp_path / "b.txt").write_text("q~a\nr~b\n")
    for dataset in (read_dataset("a.lab"), open_source("a.lab"), read_dataset("b.txt", format="lab")):
        assert list(dataset.columns) == ["questions", "predicted_answers"]
        assert len(dataset) == 2
    assert len(read_dataset("a.lab", limit=1)) == 1
    (tmp_path / "A.LAB").write_text("q~a\n")
    assert len(read_dataset("A.LAB")) == 1
    (tmp_path / "a.unknown").touch()
    assert "use one of .jsonl" in refused("a.unknown")
    assert ".npy, .lab, or give format=" in refused("a.unknown")
    assert refused("c.lab").startswith("c.lab does not exist")
    assert "choose one of jsonl, json, csv, tsv, parquet, arrow, xlsx, npz, lab" in refused(
        "a.lab", format="x"
    )
    with Path("a.lab").open() as file:
        assert "give the path of the file, which the reader guest_lab:read_lab needs" in refused(file)


def test_a_package_does_not_replace_a_reader_of_thresher(guest, tmp_path):
    guest({"csv": "broken", ".gz": "broken"})
    (tmp_path / "data.csv").write_text("question\nq\n")
    assert list(read_dataset("data.csv").columns) == ["questions"]
    assert list(read_dataset("data.csv", format="csv").columns) == ["questions"]
    with pytest.raises(InputError, match=r"files \*\.csv are read as csv; choose another suffix"):
        reader("CSV")


def test_two_packages_with_one_suffix_are_named(guest):
    guest({"lab": "read_lab"})
    guest({"lab": "read_lab"}, "other_lab")
    message = refused("a.lab")
    assert "guest_lab:read_lab" in message
    assert "other_lab:read_lab" in message


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("broken", "a.lab: the reader guest_lab:broken failed: KeyError: 'speed' (guest_lab.py, line 10)"),
        ("absent", "a.lab: the reader guest_lab:absent failed: AttributeError: module 'guest_lab' has no"),
        (
            "no_rows",
            "a.lab, row 1: holds the text 'a line', not a dict; give one dict per row (read by ",
        ),
    ],
)
def test_an_error_of_a_reader_is_one_line_that_names_it(guest, function, message):
    guest({"lab": function})
    assert refused("a.lab").startswith(message)


def test_a_row_that_a_reader_fails_at_is_an_error_of_the_reader(guest, tmp_path):
    guest({"lab": "read_lab"})
    (tmp_path / "a.lab").write_text("q~a\nno separator\n")
    assert refused("a.lab").startswith("a.lab: the reader guest_lab:read_lab failed: ValueError: not enough")


def test_a_decorated_function_reads_files(guest):
    @reader(".lab")
    def read(path):
        return {"question": path.read_text().split()}

    assert list(read_dataset("a.lab").column("questions")) == ["q~a", "r~b"]
    assert read.__name__ == "read"


def test_a_function_that_is_decorated_and_an_entry_point_is_one_reader(guest):
    guest({"lab": "read_lab"}, code=READER.replace("def read_lab", '@reader("lab")\ndef read_lab'))
    load_plugin("guest_lab")
    assert len(read_dataset("a.lab")) == 2
    assert plugins_without_metrics() == []


def test_folders_of_plugins_install_no_packages(searches, monkeypatch, tmp_path):
    monkeypatch.setattr("sys.path", [*sys.path])
    monkeypatch.setenv(plugins.ALLOWLIST, os.environ[plugins.ALLOWLIST])
    before = installed_plugins()
    for name, file in (("unpacked-1.0.dist-info", "METADATA"), ("other.egg-info", "PKG-INFO")):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text("Metadata-Version: 2.1\nName: unpacked\nVersion: 1.0\n")
        (tmp_path / name / "entry_points.txt").write_text("[thresher.metrics]\nunpacked = unpacked\n")
    (tmp_path / "own_plugin.py").write_text("")
    plugins.load_plugin(str(tmp_path / "own_plugin.py"))
    assert str(tmp_path) in sys.path
    assert installed_plugins() == before
    del plugins.LOADED[str(tmp_path / "own_plugin.py")], sys.modules["own_plugin"]
