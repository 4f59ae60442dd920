"""Files that are wrong in odd ways end in one line, and the command line in exit code 2."""

import gzip
import io
import json
import re
import subprocess
import sys
import zipfile
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from answer_files import ROWS, cli, write
from thresher import read_beir, read_dataset
from thresher.components.judged.custom.custom_judge import CustomJudgeEvaluator
from thresher.datasets import read_beir_documents, read_labels
from thresher.datasets.sources.opening import open_source, read_source
from thresher.errors import DataWarning, InputError
from thresher.files.parsing import parse_yaml
from thresher.judges.recorded import Recording
from thresher.judges.settings import Prices
from thresher.judges.template import Template
from thresher.pipelines.library import recipe_text
from thresher.pipelines.loading import load_pipeline
from thresher.reports.gates.files import read_gate_file


def refused(action, pattern):
    with pytest.raises(InputError, match=pattern) as caught:
        action()
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


def test_a_line_of_yaml_that_may_hold_a_credential_is_not_repeated(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text('a:\n  headers: {key: "tk-445566" x: y}', encoding="utf-8")
    line = refused(lambda: load_pipeline(path), "not YAML: while parsing a flow mapping in line 2, column 12")
    assert "expected ',' or '}', but got '<scalar>' in line 2, column 30" in line
    assert "445566" not in line


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("exact_match.result", "exact_mach.result"), "Component named exact_mach not found in the pipeline"),
        (
            (r"max_runs_per_component:.*", "max_runs_per_component: null"),
            "max_runs_per_component is None",
        ),
        ((r"connections:", "connections: 3\nother:"), "connections is not a list; write [] for none"),
        ((r"connections:", "connections:\nother:"), "connections is not a list; write [] for none"),
        (
            (r"connections:", "connections: [abc]\nother:"),
            "connection 1 is not a mapping; give one with `sender`",
        ),
        (("sender: token_f1.result", "sender: 5"), "connection 2: sender is 5; write component.socket"),
        ((r"components:", "components: {5: {}}\nother:"), "the name of component 5 is not a text"),
        (
            (r"components:", "components: {a: }\nother:"),
            "component 'a' is not a mapping; give one with `type`",
        ),
        (
            (r"components:", "components: {a: {type: b}}\nother:"),
            "component 'a': type is 'b'; give module and",
        ),
        (
            (r"components:", "components: {a: {type: b.c, init_parameters: }}\nother:"),
            "component 'a': init_parameters is not a mapping; write {} for none",
        ),
        ((r"components:", "components: [1]\nother:"), "is not a pipeline: it has no mapping `components`"),
        ((r"sender:", "sendr:"), "is not a pipeline that can be loaded: Missing sender"),
        ((r"metadata: \{\}", "metadata: 2020-99-99"), "not YAML: month must be in 1..12"),
        ((r"init_parameters:", "init_parameters: !!bool maybe\n    other:"), "not YAML: 'maybe'"),
    ],
)
def test_a_pipeline_that_cannot_be_loaded(tmp_path, monkeypatch, capsys, change, problem):
    monkeypatch.chdir(tmp_path)
    write("d.jsonl", ROWS)
    text = re.sub(*change, recipe_text("qa"))
    (tmp_path / "p.yaml").write_text(text)
    error = cli(capsys, "run", "p.yaml", "--data", "d.jsonl", "--quiet", code=2)
    assert error.startswith("thresher: p.yaml")
    assert problem in error
    assert len(error.splitlines()) == 1


@pytest.mark.slow
def test_an_unknown_class_in_a_pipeline_is_one_line_without_a_traceback(tmp_path):
    """In a separate process, since Haystack logs the traceback before it raises."""
    write(tmp_path / "d.jsonl", ROWS)
    (tmp_path / "p.yaml").write_text(
        """
components:
  judge:
    type: thresher.components.judged.valor.coherence.ValorCoherenceEvaluator
    init_parameters:
      chat_generator: {type: haystack.components.generators.chat.openai.NoSuchGenerator, init_parameters: {}}
connections: []
"""
    )
    command = [sys.executable, "-m", "thresher", "run", "p.yaml", "--data", "d.jsonl", "--quiet"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        (
            "thresher: p.yaml is not a pipeline that can be loaded: judge (ValorCoherenceEvaluator): "
            "AttributeError: module 'haystack.components.generators.chat.openai' has no attribute "
            "'NoSuchGenerator'"
        )
    ]


def test_conditions_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write("d.jsonl", ROWS)
    cli(capsys, "run", "exact_match", "--data", "d.jsonl", "--out", "r", "--quiet")
    for condition in ("not " * 5000 + "questions", "questions == " + "-" * 20_000 + "1"):
        error = cli(capsys, "report", "r", "--slice", condition, code=2)
        assert "is nested too deeply: more than 100 levels" in error


def test_odd_lines_of_beir(tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq\td\t1\n")
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "t", "n": ' + "9" * 5000 + "}\n")
    refused(lambda: read_beir(tmp_path), r"queries.jsonl:1: a whole number has more than 4,300 digits")
    nested = "[" * 5000 + "]" * 5000  # Python 3.13 parses it, earlier versions do not
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "t", "n": ' + nested + "}\n")
    refused(lambda: read_beir(tmp_path), r"queries.jsonl:1 is nested too deeply")
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text":\n')
    refused(lambda: read_beir(tmp_path), r"queries.jsonl:1: not JSON at column 21 \(Expecting value\)")
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d", "text": "t", "metadata": ["a"]}\n')
    refused(lambda: list(read_beir_documents(tmp_path)), r"document 'd': metadata is not an object; give one")


def test_parquet_with_texts_that_are_not_utf8(tmp_path):
    path = tmp_path / "d.parquet"
    broken = pa.array([b"a", b"\xff\xfe"]).view(pa.string())
    pq.write_table(pa.table({"question": broken, "contexts": pa.array([["a"], ["b"]])}), path)
    refused(lambda: read_dataset(path), "cannot be read: a text is not UTF-8; save it again")


def test_half_characters(tmp_path):
    path = tmp_path / "j.yaml"
    path.write_text('template: "{{ predicted_answers }} \\ud800"\nreply: {score: [yes, no]}\n')
    refused(lambda: CustomJudgeEvaluator.from_file(path), r"j.yaml:1: holds half a character")
    refused(lambda: Template("t", "{{ x }} \ud800"), "the template of t holds half a character")
    (tmp_path / "g.yaml").write_text('require: ["\\udfff"]\n')
    refused(lambda: read_gate_file(tmp_path / "g.yaml"), r"g.yaml:1: holds half a character")


def test_half_characters_in_names_of_columns(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.jsonl").write_text('{"response": "a", "reference": "a", "more": {"k\\ud800": 1}}\n')
    error = cli(capsys, "run", "exact_match", "--data", "d.jsonl", "--quiet", code=2)
    assert "the column name 'k\\ud800' holds half a character: fix or remove it" in error


def test_a_template_that_is_nested_too_deeply():
    refused(
        lambda: Template("t", "{{ " + "(" * 5000 + "x" + ")" * 5000 + " }}"), "the template of t is nested"
    )


@pytest.mark.parametrize("condition", ["9" * 5000, "1e999", "x ** 'a'", "1 / 0"])
def test_constants_of_templates_that_python_refuses(condition):
    text = "{{ x }} {% if " + condition + " %}{% endif %}"
    refused(lambda: Template("t", text), "the template of t (is not|cannot be)")


def test_numbers_beyond_every_float(tmp_path):
    (tmp_path / "g.yaml").write_text("require: [a >= 1]\nallow_missing: " + "9" * 400)
    refused(lambda: read_gate_file(tmp_path / "g.yaml"), "a whole number has more than 308 digits; give a")
    (tmp_path / "g.toml").write_text("allow_missing = " + "9" * 400)
    refused(lambda: read_gate_file(tmp_path / "g.toml"), "a whole number has more than 308 digits")
    (tmp_path / "p.json").write_text('{"m": {"in": ' + "9" * 400 + ', "out": 1}}')
    refused(lambda: Prices.parse(str(tmp_path / "p.json")), "a whole number has more than 308 digits")


@pytest.mark.parametrize(
    "number", ["1" + ":1" * 500_000, "-1_0" + ":59" * 180, "!!int '1" + ":1" * 180 + "'"]
)
def test_numbers_in_base_60_are_refused_before_they_are_built(tmp_path, number):
    (tmp_path / "g.yaml").write_text(f"require: [a >= 1]\nallow_missing: {number}")
    refused(lambda: read_gate_file(tmp_path / "g.yaml"), r"g.yaml:2: a whole number has more than 308 digits")


@pytest.mark.parametrize(
    "answers", ['{"k": {}}', '{"k": 3}', "[]", '{"k": {"reply": "r", "finish": 1, "tokens": [1, 2]}}']
)
def test_recordings_with_answers_of_another_form(tmp_path, answers):
    path = tmp_path / "r.json.gz"
    path.write_bytes(gzip.compress(f'{{"model": "m", "answers": {answers}}}'.encode()))
    refused(lambda: Recording.load(path), "is not a recording: .*; record the answers again")


def test_long_values_do_not_hide_what_to_do():
    message = str(InputError(f"d.csv:2: {'x' * 10_000} is not a number; give one"))
    assert message == f"d.csv:2: {'x' * 200}...{'x' * 60} is not a number; give one"
    message = str(InputError(f"begin {'word ' * 10_000}; the remedy"))
    assert message.startswith("begin word")
    assert message.endswith("; the remedy")
    assert len(message) < 4000
    assert str(InputError("column 'a\nb' is missing")) == "column 'a b' is missing"


def test_a_pipeline_of_another_encoding_is_named(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_bytes(b"components: {}\n# caf\xe9\n")
    refused(lambda: load_pipeline(path), r"p.yaml:2: byte 6 of the line \(0xe9\) is not UTF-8")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("a: 1\na: 2", "a"),
        ("a: {b: 1, 'b': 2}", "b"),
        ("a:\n  - b: 1\n    c: {}\n    b: [1]", "b"),
        ("1: a\n1: b", "1"),
        ("a: {1: x, '1': y}", ""),
        ("- {a: a}\n- {a: a, b: a}", ""),
        ("a: &x {b: 1}\nc: {<<: *x, b: 2}\nd: {<<: *x, <<: *x}", ""),
        ("{a: {a: {a: 1}}, b: a}", ""),
    ],
)
def test_a_key_that_is_twice_in_a_mapping_of_yaml_is_named(text, key):
    if key:
        refused(lambda: parse_yaml(text, "f.yaml"), rf"f.yaml:\d: the key '{key}' is there twice; remove one")
    else:
        assert parse_yaml(text, "f.yaml")


def _array_per_item(path):
    np.savez(path, y_true=np.arange(4) % 2, y_prob=np.linspace(0, 1, 4), y_pred=np.zeros((4, 2, 2)))


def _damaged_header(path):
    np.savez(path, y_true=np.arange(4) % 2, y_prob=np.linspace(0, 1, 4))
    content = path.read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(path, "w") as after:
        for name in before.namelist():
            after.writestr(name, before.read(name).replace(b"}", b" "))


def _deep_list(path):
    deep = []
    for _ in range(600):
        deep = [deep]
    path.write_text(json.dumps({"y_true": [None, deep], "y_pred": ["a", "b"]}))


def _huge_label(path):
    path.write_text('{"y_true": [0, 1], "y_pred": [1%s, 0.5]}' % ("0" * 400))


@pytest.mark.parametrize(
    ("write_file", "problem"),
    [
        (_array_per_item, "d.npz, item 'row-1': 'predictions' is an array of 2 x 2; give a label"),
        (
            _damaged_header,
            "d.npz cannot be read as an archive of NumPy: (unexpected )?EOF in multi-line statement",
        ),
        (
            _deep_list,
            "d.json(: column 'y_true')? is nested too deeply",
        ),  # by Python 3.13, deeper lists are parsed
        (
            _huge_label,
            "d.json, item 'row-1': 'predictions' is a whole number of more than 308 digits",
        ),
    ],
)
def test_labels_that_are_none_end_in_one_line(tmp_path, monkeypatch, capsys, write_file, problem):
    monkeypatch.chdir(tmp_path)
    name = "d.npz" if problem.startswith("d.npz") else "d.json"
    write_file(tmp_path / name)
    error = cli(capsys, "run", "classification", "--data", name, "--quiet", code=2)
    assert re.match(f"thresher: {problem}", error)
    assert len(error.splitlines()) == 1


FAR = pa.array([2**62, None], pa.int64())
ODD_COLUMNS = {
    **{f"timestamp {unit}": FAR.view(pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")},
    **{f"duration {unit}": FAR.view(pa.duration(unit)) for unit in ("s", "ms", "us", "ns")},
    "date": FAR.view(pa.date64()),
    "time": FAR.view(pa.time64("us")),
    "zone": FAR.view(pa.timestamp("us", "Europe/Berlin")),
    "no zone": pa.array([0, None], pa.int64()).view(pa.timestamp("s", "Mars/Olympus")),
    "decimal": pa.array([Decimal("1e75"), None], pa.decimal256(76, 0)),
    "scale": pa.array([Decimal("1e5"), None], pa.decimal128(10, -3)),
    "far scale": pa.array([Decimal(1), None], pa.decimal128(10, 0)).view(pa.decimal128(10, -2_000_000_000)),
    "bytes": pa.array([b"\xff\x00", None]),
    "text": pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0"), pa.py_buffer(b"\xff\xfe")]
    ),
    "number": pa.array([2**64 - 1, None], pa.uint64()),
    "dictionary": pa.array([b"\xff", None]).dictionary_encode(),
    "map": pa.array([[("a", 1), ("a", 2)], None], pa.map_(pa.string(), pa.int64())),
    "struct": pa.array([{"a": [{"b": datetime(2020, 1, 1, tzinfo=UTC)}]}, None]),
    "union": pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])]),
    "interval": pa.array([(1, 2, 2**62), None], pa.month_day_nano_interval()),
    "extension": pa.ExtensionArray.from_storage(
        pa.uuid(), pa.array([b"0123456789abcdef", None], pa.binary(16))
    ),
    "tensor": pa.FixedShapeTensorArray.from_numpy_ndarray(np.zeros((2, 2, 2))),
    "half": pa.array([np.float16(1), None], pa.float16()),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), pa.array(["a", "b"])),
    "list": pa.array([[[[b"\xff"]]], None]),
}


def refusal(read, source):
    """How a reader refuses a source; empty if it reads it."""
    try:
        data = read(source)
        for column in data.columns:
            list(data.column(column))
    except InputError as error:
        return str(error)
    return ""


@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
@pytest.mark.parametrize("kind", ODD_COLUMNS)
@pytest.mark.parametrize("name", ["y_pred", "id", "about"])
def test_values_of_arrow_are_read_or_refused_with_their_column(tmp_path, kind, name):
    table = pa.table({name: ODD_COLUMNS[kind], "y_true": ["a", "b"], "y_score": [0.1, 0.2]})
    path, arrow = tmp_path / "d.parquet", tmp_path / "d.arrow"
    with suppress(pa.ArrowException, OSError):  # Parquet has no form for some
        pq.write_table(table, path)
    with pa.ipc.new_file(str(arrow), table.schema) as file:
        file.write_table(table)
    sources = [(read, source) for read in (read_dataset, read_labels) for source in (path, table)]
    for read, source in (*sources, (read_source, arrow)):
        if source is not path or path.exists():
            words = refusal(read, source)
            assert len(words.splitlines()) <= 1
            assert source is table or not words or re.search(rf"d\.|'{name}'|'predictions'", words)


def test_what_a_package_raises_for_a_value_names_the_column(tmp_path):
    far = pa.table({"a": [1, 2], "b": ODD_COLUMNS["timestamp s"]})
    with pa.ipc.new_file(str(tmp_path / "d.arrow"), far.schema) as file:
        file.write_table(far)
    refused(lambda: open_source(tmp_path / "d.arrow"), r"d.arrow: column 'b' cannot be read: \w+: ")
    with pytest.raises(TypeError, match="unexpected keyword"):
        read_dataset([{"a": 1}], no_option=1)
    with pytest.raises(DataWarning):  # an error by the filters of the tests
        read_labels({"y_true": ["a", "b"], "y_pred": [{"a": 0.5, "c": 0.5}] * 2})
