"""A small file is refused in one line before it uses disproportionate memory or time."""

import gzip
import io
import json
import resource
import subprocess
import sys
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from answer_files import cli
from thresher import read_dataset, read_limits
from thresher.datasets import _table
from thresher.datasets.masks import image_sizes
from thresher.errors import InputError
from thresher.files import opening, parquet
from thresher.files.limits import VARIABLE, ReadLimits, current_limits
from thresher.files.opening import OpenedFile
from thresher.judges.recorded import Recording
from thresher.kernels.detection.rasters import Raster
from thresher.pipelines.library import recipe_text
from thresher.pipelines.loading import load_pipeline
from thresher.reports.gates.files import read_gate_file
from thresher.reports.labels.sheet import read_sheet
from thresher.reports.slices.conditions import mask_of


def refused(action, limit):
    """The message with which an action is refused, which must name the limit in every language."""
    with pytest.raises(InputError) as caught:
        action()
    message = str(caught.value)
    assert "\n" not in message
    assert f"--read-limit {limit}=" in message
    assert f"thresher.read_limits({limit}=" in message
    return message


@pytest.fixture
def few_exempt(monkeypatch):
    """Let the ratio apply after 100 kB: files of 100 MB take seconds."""
    monkeypatch.setattr(opening, "_EXEMPT", 100_000)


def blanks(path, megabytes):
    path.write_bytes(gzip.compress(b" " * 1_000_000) * megabytes)  # members of a gzip file are concatenated
    return path


def test_a_gzip_file_that_unpacks_out_of_proportion(tmp_path, few_exempt):
    path = blanks(tmp_path / "d.jsonl.gz", 2)
    message = refused(lambda: read_dataset(path), "unpacked_ratio")
    assert message.startswith(f"{path} unpacks to more than 250 times its ")
    with path.open("rb") as file:
        refused(lambda: read_dataset(file, format="jsonl"), "unpacked_ratio")
    with read_limits(unpacked_ratio=2000), pytest.raises(InputError, match="has no rows"):
        read_dataset(path)


@pytest.mark.slow
def test_memory_stays_bounded_however_much_a_file_unpacks_to(tmp_path):
    path = blanks(tmp_path / "d.jsonl.gz", 2000)
    code = (
        "import sys, thresher\n"
        "try: thresher.read_dataset(sys.argv[1])\n"
        "except thresher.InputError: sys.exit(7)"
    )
    limit = 1_500_000_000

    def bounded():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    done = subprocess.run([sys.executable, "-c", code, path], preexec_fn=bounded, capture_output=True)
    assert done.returncode == 7, done.stderr.decode()


def test_an_absolute_limit_of_unpacked_bytes(tmp_path):
    path = tmp_path / "d.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"response": "a"}\n' * 20))
    with read_limits(unpacked_bytes=300):
        message = refused(lambda: read_dataset(path), "unpacked_bytes")
    assert message.startswith(f"{path} unpacks to more than 300 bytes")
    assert len(read_dataset(path)) == 20


def test_a_recording_is_unpacked_within_the_limits(tmp_path, few_exempt):
    path = blanks(tmp_path / "r.json.gz", 2)
    refused(lambda: Recording.load(path), "unpacked_ratio")


def test_a_parquet_file_that_repeats_a_long_text(tmp_path, few_exempt, monkeypatch):
    path = tmp_path / "d.parquet"
    monkeypatch.setattr(parquet, "_REPEATED", 1_000_000)
    for times, read in ((34, False), (12, True)):
        places = pa.array([0] * times, pa.int32())
        texts = pa.DictionaryArray.from_arrays(places, pa.array(["x" * 30_000]))
        pq.write_table(pa.table({"question": texts}), path, compression="zstd")
        if read:
            first, *others = read_dataset(path).columns["questions"]
            assert all(other is first for other in others), "repeated texts are one object"
        else:
            refused(lambda: read_dataset(path), "unpacked_ratio")
    text = pa.array(["x" * 30_000]).dictionary_encode()
    nested = pa.ListArray.from_arrays(pa.array([0, 17, 34]), text.take(pa.array([0] * 34)))
    pq.write_table(pa.table({"contexts": nested}), path, compression="zstd")
    refused(lambda: read_dataset(OpenedFile("d.parquet", path.read_bytes())), "unpacked_ratio")


def test_a_parquet_file_with_more_cells_than_memory(tmp_path):
    path = tmp_path / "d.parquet"
    pq.write_table(pa.table({"a": pa.nulls(50_000, pa.int64()), "b": pa.nulls(50_000, pa.int64())}), path)
    with read_limits(cells=99_999):
        message = refused(lambda: read_dataset(path), "cells")
    assert message.startswith(f"{path} has 100,000 cells, more than 99,999; ")
    pq.write_table(pa.table({"a": pa.array([[0] * 200_000])}), path)
    with read_limits(cells=99_999):
        refused(lambda: read_dataset(path), "cells")


@pytest.mark.parametrize("repeated", [False, True])
def test_texts_of_parquet_are_read_unchanged(tmp_path, monkeypatch, repeated):
    monkeypatch.setattr(parquet, "exceeds", lambda *_: repeated)
    path = tmp_path / "d.parquet"
    columns = {
        "question": ["a", None, "a", "\u00e4"],
        "contexts": [["c", None], [], None, ["c"]],
        "about": [{"k": "v", "n": [{"w": "q"}]}, None, {"k": None, "n": []}, {"k": "v", "n": None}],
        "pairs": pa.array([[("k", "v")], None, [], [("k", "v")]], pa.map_(pa.string(), pa.string())),
        "raw": [b"x", None, b"x", b"y"],
        "kind": pa.array([1, 2, None, 1]).dictionary_encode(),
    }
    pq.write_table(pa.table(columns), path, row_group_size=3)
    data = read_dataset(path, mapping={"contexts": "other"})
    assert list(data.columns["questions"]) == columns["question"]
    assert list(data.columns["other"]) == columns["contexts"]
    assert list(data.columns["pairs_k"]) == ["v", None, None, "v"]
    assert list(data.columns["kind"]) == [1, 2, None, 1]
    assert list(data.columns["n"]) == [[{"w": "q"}], None, [], None]
    assert list(data.columns["raw"]) == columns["raw"]


def workbook(path, cells):
    """A workbook with one cell in a far corner."""
    package = pytest.importorskip("openpyxl")
    book = package.Workbook()
    book.active.cell(1, 1).value = "id"
    book.active.cell(*cells).value = "x"
    book.save(path)
    return path


def test_a_workbook_with_a_cell_far_away(tmp_path):
    path = workbook(tmp_path / "s.xlsx", (5000, 200))
    with read_limits(cells=100_000):
        assert refused(lambda: read_sheet(path), "cells").startswith(f"{path} has more than 100,000 cells")


def test_a_workbook_that_unpacks_out_of_proportion(tmp_path, few_exempt):
    path = workbook(tmp_path / "s.xlsx", (1, 2))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.xml", b" " * 3_000_000)
    refused(lambda: read_sheet(path), "unpacked_ratio")


@pytest.mark.parametrize("name", ["d.jsonl", "d.json"])
@pytest.mark.parametrize("depth", [100_000, 900, 101])
def test_lists_within_lists(tmp_path, name, depth):
    path = tmp_path / name
    inner = "[" * depth + "]" * depth
    path.write_text(f'{{"response": "a"}}\n{{"z": {inner}}}' if name == "d.jsonl" else f'[{{"z": {inner}}}]')
    message = refused(lambda: read_dataset(path), "nesting")
    assert "is nested too deeply: more than 100 levels of lists and objects" in message


def test_100_levels_are_not_too_deep_and_more_are_allowed_on_request(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text('{"response": "a", "z": ' + "[" * 100 + "]" * 100 + "}")
    assert len(read_dataset(path)) == 1
    path.write_text('{"response": "a", "z": ' + "[" * 150 + "]" * 150 + "}")
    with read_limits(nesting=200):
        assert len(read_dataset(path)) == 1


def test_a_run_of_data_that_are_nested_too_deeply_ends_in_one_line(tmp_path, capsys):
    path = tmp_path / "d.jsonl"
    path.write_text('{"response": "x", "reference": "x", "z": ' + "[" * 900 + "]" * 900 + "}\n")
    error = cli(capsys, "run", "qa", "--data", path, "--out", tmp_path / "r", "--quiet", code=2)
    assert error.startswith(f"thresher: {path}: column 'z' is nested too deeply")


def aliases(levels):
    """YAML whose last value expands to 9 ** levels texts."""
    lines = ['a0: &a0 ["x"]', *(f"a{i + 1}: &a{i + 1} [{','.join([f'*a{i}'] * 9)}]" for i in range(levels))]
    return "\n".join(lines) + "\n"


def test_yaml_aliases_count_as_what_they_refer_to(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text(aliases(7) + recipe_text("qa"))
    message = refused(lambda: load_pipeline(path), "yaml_nodes")
    assert message.startswith(f"{path} expands to more than 100,000 values")
    path.write_text(aliases(2) + recipe_text("qa"))
    load_pipeline(path)
    path.write_text(aliases(7) + "require: [exact_match >= 0]")
    refused(lambda: read_gate_file(path), "yaml_nodes")
    path.write_text("require: &a [*a]")
    with pytest.raises(InputError, match=r"p.yaml:1: the alias \*a refers to nothing before it"):
        read_gate_file(path)


@pytest.mark.parametrize("text", ["[" * 100_000, "- " * 5000, "{a: " * 3000])
def test_yaml_that_is_nested_too_deeply(tmp_path, text):
    path = tmp_path / "g.yaml"
    path.write_text(text)
    refused(lambda: read_gate_file(path), "nesting")
    (tmp_path / "g.toml").write_text("a = " + "[" * 5000 + "]" * 5000)
    refused(lambda: read_gate_file(tmp_path / "g.toml"), "nesting")


@pytest.mark.parametrize(
    "text", ["not " * 5000 + "a", "a == " + "-" * 20_000 + "1", "(" * 90 + "not " * 101 + "a" + ")" * 90]
)
def test_conditions_that_are_nested_too_deeply(text):
    message = refused(lambda: mask_of(text, {"a": [1]}, 1), "nesting")
    assert len(message) < 300


def test_conditions_that_are_too_long():
    text = "a in [" + "1, " * 40_000 + "]"
    message = refused(lambda: mask_of(text, {"a": [1]}, 1), "expression_length")
    assert f"expression_length={len(text)}" in message
    assert mask_of("a in [" + "1, " * 30_000 + "]", {"a": [1]}, 1).tolist() == [True]


def png(path, width, height):
    """A PNG whose header states a size that its data need not have."""
    buffer = io.BytesIO()
    Image.new("L", (1, 1)).save(buffer, "PNG")
    content = bytearray(buffer.getvalue())
    content[16:24] = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    import zlib

    content[29:33] = zlib.crc32(content[12:29]).to_bytes(4, "big")
    path.write_bytes(content)
    return path


def test_a_picture_is_measured_before_it_is_decoded(tmp_path):
    from thresher.components.segmentation._maps import compare

    path = png(tmp_path / "m.png", 60_000, 60_000)
    message = refused(lambda: compare(path, path, None, None), "pixels")
    assert message.startswith(f"{path} has 60000 x 60000 pixels, more than 150,000,000; ")
    assert "pixels=3600000000" in message
    assert image_sizes(tmp_path) == {"m": (60_000, 60_000)}
    assert Image.MAX_IMAGE_PIXELS is not None


def test_a_mask_is_measured_before_it_is_drawn():
    mask = Raster.from_rle([40_000, 40_000], [1_600_000_000])
    refused(mask.to_array, "pixels")


def test_numbers_of_thousands_of_digits(tmp_path):
    path = tmp_path / "d.json"
    path.write_text('[{"response": ' + "9" * 5000 + "}]")
    with pytest.raises(InputError, match=r"d.json:1: a whole number has more than 4,300 digits; "):
        read_dataset(path)
    (tmp_path / "g.yaml").write_text("allow_missing: " + "9" * 5000)
    with pytest.raises(InputError, match="a whole number has more than 4,300 digits"):
        read_gate_file(tmp_path / "g.yaml")


def test_limits_from_the_environment_and_the_command_line(tmp_path, capsys, monkeypatch):
    path = tmp_path / "d.jsonl"
    path.write_text('{"response": "x", "reference": "x", "z": [[[1]]]}\n')
    command = ["run", "exact_match", "--data", path, "--out", tmp_path / "r", "--quiet"]
    monkeypatch.setenv(VARIABLE, "nesting=2, cells=1e9")
    assert current_limits() == ReadLimits(nesting=2, cells=10**9)
    assert "more than 2 levels" in cli(capsys, *command, code=2)
    cli(capsys, *command, "--read-limit", "nesting=3")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nesting", "'nesting' is not of the form NAME=N"),
        ("nesting=", "'nesting=' is not of the form NAME=N"),
        ("nesting=inf", "'nesting=inf' is not of the form NAME=N"),
        ("depth=3", "read limit 'depth' is unknown; choose one of unpacked_bytes, "),
        ("nesting=0", "nesting=0 must be a whole number of at least 1"),
    ],
)
def test_limits_that_do_not_exist(monkeypatch, text, problem):
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(InputError, match=problem):
        current_limits()


def test_rows_with_different_keys_that_make_a_table_out_of_proportion(tmp_path, monkeypatch):
    rows = [{"id": str(row), f"key{row}": 1} for row in range(4_500)]
    path = tmp_path / "d.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for source in (path, rows):
        message = refused(lambda source=source: read_dataset(source), "unpacked_ratio")
        assert "has 4,500 rows with 4,501 different keys, more than 250 cells per value" in message
    monkeypatch.setattr(_table, "_EXEMPT_CELLS", 100_000)
    with read_limits(unpacked_ratio=451):  # 900 rows with 901 keys, and two values a row
        assert len(read_dataset(rows[:900])) == 900
    with read_limits(unpacked_ratio=450):
        refused(lambda: read_dataset(rows[:900]), "unpacked_ratio")
    few = [{"id": str(row), f"key{row % 200}": 1} for row in range(1_000)]
    assert len(read_dataset(few)) == 1_000
