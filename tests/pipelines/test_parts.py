import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from stored_runs import edit_table
from thresher import MetricResult, RunDirectoryError, evaluate, open_run, read_dataset
from thresher.files.stores import FolderStore, StoredFile
from thresher.pipelines import packed_parts
from thresher.pipelines.packed_parts import packed
from thresher.pipelines.parts import ChunkPart, PartIdentity, part_name, part_number, read_part, read_table
from thresher.results import FrozenColumn, Measure, Signature, Statistics, Status

ANSWERS = {"question": ["a?", "b?"], "predicted_answers": ["x", None], "ground_truth_answers": ["x", "z"]}


IDENTITY = PartIdentity("run", 0, 0, 2)


@pytest.fixture
def run(tmp_path):
    evaluate(["token_f1"], read_dataset(ANSWERS), out=tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.parametrize(
    "lost",
    [
        "id",
        "input.predicted_answers",
        "metric.0.status",
        "metric.0.reason",
        "metric.0.evidence",
        "metric.0.statistic.score",
    ],
)
def test_a_part_that_lacks_a_column_is_told_in_one_line(run, lost):
    edit_table(run, 0, lambda table, description: (table.drop_columns([lost]), description))
    with pytest.raises(
        RunDirectoryError, match=r"part-00000\.parquet is damaged .*: run again to compute it anew"
    ) as message:
        open_run(run).metrics["token_f1"].scores  # noqa: B018
    assert "\n" not in str(message.value)


@pytest.mark.parametrize(
    "said", ["3", "{}", '{"inputs": 3, "results": 3}', '{"inputs": {}, "results": [{}]}']
)
def test_a_part_that_says_something_else_is_told_in_one_line(run, said):
    edit_table(run, 0, lambda table, _: (table, said))
    with pytest.raises(RunDirectoryError, match="is damaged"):
        open_run(run)


@pytest.mark.parametrize("rows", [[0], [9, 0, 4, 4], [5, 6], list(range(10))])
@pytest.mark.parametrize("by_ranges", [False, True])
def test_rows_are_read_without_the_other_groups(tmp_path, monkeypatch, rows, by_ranges):
    monkeypatch.setattr(packed_parts, "_GROUP_ROWS", 3)
    ids = [f"item {number}" for number in range(10)]
    tags = FrozenColumn([[key, "x"] for key in ids])
    identity = PartIdentity("run", 0, 0, 10)
    (tmp_path / "part").write_bytes(packed(ChunkPart(FrozenColumn(ids), {"tags": tags}, []), identity))
    path = StoredFile(FolderStore(tmp_path), "part")
    metadata = pq.ParquetFile(tmp_path / "part").metadata
    assert [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)] == [3, 3, 3, 1]
    table = read_table(path, identity, {"id", "input.tags"}.__contains__, rows=rows, by_ranges=by_ranges)
    assert table.columns["id"].to_pylist() == [ids[row] for row in rows]
    assert table.columns["input.tags"].to_pylist() == [tags[row] for row in rows]


def test_half_a_character_in_a_reason_is_kept_as_its_escape(tmp_path):
    result = MetricResult(
        [Measure(Signature.of("m", {}))],
        Statistics({"score": [0.0, 1.0]}),
        [Status.UNREADABLE, Status.SCORED],
        {0: "the reply was \ud83d"},
        [{"reply": "\ud83d"}, None],
    )
    part = ChunkPart(FrozenColumn(["a", "b"]), {}, [result])
    (tmp_path / "part").write_bytes(packed(part, IDENTITY))
    (again,) = read_part(tmp_path / "part", IDENTITY).results
    assert again.reasons == {0: "the reply was \\ud83d"}
    assert json.dumps(list(again.evidence)) == json.dumps([{"reply": "\ud83d"}, None])


def test_numbers_of_parts_are_read_from_their_names_only(tmp_path):
    assert [part_number(part_name(number)) for number in (0, 7, 123456)] == [0, 7, 123456]
    for name in ("part-1.parquet", "part-0000x.parquet", "part-00001.parquet.tmp", "part-.parquet"):
        assert part_number(name) is None


@pytest.mark.parametrize(
    "column", [[1, None], [2**63, 1], [10**400], [["a"], None], [["a", 1]], [[["a"]]], [{"a": [1]}], [None]]
)
def test_columns_come_back_as_they_were(tmp_path, column):
    ids = FrozenColumn(map(str, range(len(column))))
    identity = replace(IDENTITY, rows=len(column))
    (tmp_path / "part").write_bytes(packed(ChunkPart(ids, {"note": FrozenColumn(column)}, []), identity))
    assert list(read_part(tmp_path / "part", identity).inputs["note"]) == column
