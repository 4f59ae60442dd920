"""What files of requirements say, and what is wrong with them, word by word."""

import pytest

from thresher.errors import InputError
from thresher.reports.gates.files import GateFile, allowed_by, read_gate_file


@pytest.mark.parametrize(
    ("name", "text", "file"),
    [
        ("g.yaml", "require: [a>=1, b<2]\nallow_missing: 2%", GateFile(["a>=1", "b<2"], 0.02)),
        ("g.yml", "- a>=1", GateFile(["a>=1"])),
        ("g.yaml", "require: [a>=1]\nchoose_on: split=val", GateFile(["a>=1"], None, "split=val")),
        ("G.TOML", "require = ['a>=1']\nallow_missing = 0.5", GateFile(["a>=1"], 0.5)),
    ],
)
def test_what_a_file_asks(tmp_path, name, text, file):
    (tmp_path / name).write_text(text)
    assert read_gate_file(tmp_path / name) == file


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.yaml", b"requires: [a]", "'requires' is unknown; give a list of requirements as 'require'"),
        ("g.yaml", b"require: []", "no requirements found; give a list of them as 'require'"),
        ("g.yaml", b"require: a>=1", "no requirements found; give a list of them as 'require'"),
        ("g.yaml", b"- a>=1\n- 2", "requirement 2 is 2, not a string; put it in quotes"),
        (
            "g.yaml",
            b"require: [a>=1]\nchoose_on: split",
            "choose_on is 'split'; give COLUMN=VALUE, for example split=val",
        ),
        (
            "g.toml",
            b"require = ['a>=1']\nallow_missing = 2",
            "allow_missing=2 is not a share of the scores; give e.g. 2% or 0.02",
        ),
    ],
)
def test_what_is_wrong_with_what_a_file_asks(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as error:
        read_gate_file(tmp_path / name)
    assert str(error.value) == f"{tmp_path / name}: {message}"


def test_files_that_cannot_be_read(tmp_path):
    path = tmp_path / "g.yaml"
    with pytest.raises(InputError) as error:
        read_gate_file(path)
    assert str(error.value) == f"{path} cannot be read: No such file or directory"
    path.write_bytes(b"require: []\n\xff")
    with pytest.raises(
        InputError, match=r"g.yaml:2: byte 1 of the line \(0xff\) is not UTF-8; save the file"
    ):
        read_gate_file(path)
    path.write_text("a: [\nb: c")
    with pytest.raises(
        InputError, match=r"g.yaml: not YAML: while parsing a flow sequence in line 1, column 4"
    ):
        read_gate_file(path)


def test_the_share_that_files_allow():
    none, some, more = GateFile(["a>=1"]), GateFile(["a>=1"], 0.1), GateFile(["a>=1"], 0.2)
    assert allowed_by({}) == allowed_by({"a": none}) == 0.0
    assert allowed_by({"a": none, "b": some, "c": some}) == 0.1
    with pytest.raises(InputError) as error:
        allowed_by({"a": some, "b": more, "c": none})
    assert str(error.value) == "a and b differ in 'allow_missing'; give --allow-missing"
