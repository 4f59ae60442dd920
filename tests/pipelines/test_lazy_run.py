import json
import math
import os
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from pyarrow.parquet import ParquetFile

from stored_runs import part_path
from thresher import RunDirectoryError, evaluate, open_run, read_dataset
from thresher.errors import DamagedRunError
from thresher.files.stores import FolderStore
from thresher.kernels.inference import evidence, interval, missing
from thresher.pipelines import packed_parts, run_results, stored_parts
from thresher.pipelines.lazy_run import lazy_results, part_source, stored_statistics
from thresher.pipelines.lazy_run.part_source import PartSource
from thresher.pipelines.lazy_run.stored_statistics import StoredStatistics
from thresher.pipelines.manifest import read_manifest
from thresher.pipelines.packed_parts import packed
from thresher.pipelines.parts import ChunkPart, read_part
from thresher.pipelines.run_directory import RunDirectory
from thresher.pipelines.run_summary import summary_of
from thresher.pipelines.stored_parts import StoredParts
from thresher.reports.analysis import Analysis
from thresher.reports.gates import quantities
from thresher.reports.html.report import html_report
from thresher.reports.slices.slice_report import SliceReport
from thresher.results import FrozenColumn, Mean, Measure, MetricResult, Signature, Statistics, Status
from thresher.results.parted_columns import PartedColumn
from thresher.results.planted import FOUND_IN_DATA

ITEMS = 12
DATA = {
    "id": [f"item {number}" for number in range(ITEMS)],
    "question": [f"how many? {number}" for number in range(ITEMS)],
    "predicted_answers": ["one", None, "two", "four words are here"] * 3,
    "ground_truth_answers": ["one", "two", "three", "four words"] * 3,
}
CLASSES = {"predictions": list("abacbbcddcbd"), "ground_truths": list("aaabbbcccddd")}


@pytest.fixture(autouse=True)
def every_run_is_large(monkeypatch):
    monkeypatch.setattr(run_results, "SMALL", -1)


@pytest.fixture
def folder(tmp_path):
    evaluate("qa", read_dataset(DATA), out=tmp_path / "run", chunk_size=5)
    return tmp_path / "run"


def test_steps_report_their_bytes_before_freed_memory_is_returned(tmp_path, monkeypatch):
    packing, written, read = [], [], []
    monkeypatch.setattr(packed_parts, "release_freed_memory", packing.append)
    monkeypatch.setattr(stored_parts, "release_freed_memory", written.append)
    monkeypatch.setattr(stored_statistics, "release_freed_memory", read.append)
    evaluate("qa", read_dataset(DATA), out=tmp_path / "run", chunk_size=5)
    assert written == [part_path(tmp_path / "run" / "parts", number).stat().st_size for number in range(3)]
    assert len(packing) == len(written)
    assert min(packing) > 0
    assert read
    assert 0 < max(read) < 5 * 8 * 14  # five items, at most 14 columns of 8 bytes: no sum over the parts


def set_blocks(monkeypatch, size):
    """Let totals of more than `size` items be merged from blocks of as many."""
    monkeypatch.setattr(Statistics, "WHOLE", size)
    monkeypatch.setattr(Statistics, "BLOCK", size)
    monkeypatch.setattr(evidence, "KEPT", 0)  # scores of a few items are read again


def eager(folder, monkeypatch):
    """The same run, read whole."""
    with monkeypatch.context() as patch:
        patch.setattr(run_results, "SMALL", math.inf)
        return open_run(folder)


def read_columns(monkeypatch):
    """The columns that are read from now on: (part, name)."""
    columns = []
    read = PartSource.read

    def noted(source, place, selects, rows=None):
        table = read(source, place, selects, rows)
        columns.extend((place, name) for name in table.columns)
        return table

    monkeypatch.setattr(PartSource, "read", noted)
    return columns


def test_a_report_reads_statuses_and_statistics_but_neither_inputs_nor_evidence(folder, monkeypatch):
    columns = read_columns(monkeypatch)
    open_run(folder).report().render("json")
    names = {name for _, name in columns}
    assert not [name for name in names if name.startswith("input.")]
    assert not names & {"id"}
    assert [name for name in names if ".statistic." in name]


def test_a_report_of_the_only_part_reads_no_statistic_that_its_process_committed(tmp_path, monkeypatch):
    columns = read_columns(monkeypatch)
    run = evaluate("qa", read_dataset(DATA), out=tmp_path / "run")
    report = run.report().render("json")
    assert not [name for _, name in columns if ".statistic." in name or ".ragged." in name]
    assert report == open_run(tmp_path / "run").report().render("json")
    assert [name for _, name in columns if ".statistic." in name]


def test_statistics_of_a_part_that_was_replaced_after_the_commit_are_read(tmp_path):
    evaluate("qa", read_dataset(DATA), out=tmp_path / "run")
    directory = RunDirectory.open(tmp_path / "run")
    parts = StoredParts(directory.store.child("parts"), directory.manifest)
    for replaced in (False, True):
        part = parts.read(0)
        parts.commit(0, partial(replace, part))
        if replaced:
            file = part_path(tmp_path / "run" / "parts", 0)
            os.utime(file, (1, 1))
        assert bool(parts.committed_statistics()) is not replaced
        assert not parts.committed_statistics()


def test_statistics_in_another_memory_layout_are_read(tmp_path):
    run = evaluate("qa", read_dataset(DATA), out=tmp_path / "run")
    directory = RunDirectory.open(tmp_path / "run")
    parts = StoredParts(directory.store.child("parts"), directory.manifest)
    scores = np.zeros(2 * ITEMS)
    scores.flags.writeable = False
    results = [replaced_statistics(result, scores[::2]) for result in run.results]
    part = parts.read(0)
    parts.commit(0, lambda: replace(part, results=results))
    assert parts.committed_statistics() == {}


def replaced_statistics(result, scores):
    return MetricResult(result.measures, Statistics(dict.fromkeys(result.statistics, scores)))


def test_a_measure_reads_its_own_statistics_once(folder, monkeypatch):
    run = open_run(folder)
    columns = read_columns(monkeypatch)
    _ = run.metrics["token_f1"].value
    again = len(columns)
    assert sorted({place for place, _ in columns}) == [0, 1, 2]
    assert len(columns) == len(set(columns))
    _ = run.metrics["token_f1"].scores
    assert len(columns) == again


def test_with_little_memory_each_metric_is_read_when_it_is_used(folder, monkeypatch):
    parts = StoredParts(FolderStore(folder / "parts"), read_manifest(FolderStore(folder)))
    run = lazy_results(parts, [0, 1, 2], read_manifest(FolderStore(folder)), limit=1)
    whole = eager(folder, monkeypatch)
    assert run.report().render("json") == whole.report().render("json")
    columns = read_columns(monkeypatch)
    _ = run.results[0].score
    assert not columns, "values stay in memory"
    _ = run.results[0].item_scores()
    assert {name.split(".")[1] for _, name in columns} == {"0"}


def test_an_item_reads_its_own_part(folder, monkeypatch):
    run = open_run(folder)
    columns = read_columns(monkeypatch)
    assert (run.ids[7], run.inputs["questions"][7]) == ("item 7", "how many? 7")
    assert columns == [(1, "id"), (1, "input.questions")]


def test_evaluate_into_a_folder_keeps_no_part(tmp_path):
    results = evaluate("qa", read_dataset(DATA), out=tmp_path / "run", chunk_size=5)
    assert isinstance(results.inputs["questions"], PartedColumn)
    assert results.report().render("json") == open_run(tmp_path / "run").report().render("json")


def test_chunks_with_other_labels_share_one_vocabulary(tmp_path, monkeypatch):
    evaluate(
        ["classification_accuracy", "classification_f1"],
        read_dataset(CLASSES),
        out=tmp_path / "run",
        chunk_size=3,
    )
    lazy, whole = open_run(tmp_path / "run"), eager(tmp_path / "run", monkeypatch)
    assert lazy.to_json() == whole.to_json()
    assert lazy.report().render("json") == whole.report().render("json")


def test_a_damaged_part_is_refused_when_the_run_is_opened(folder):
    path = part_path(folder / "parts", 1)
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(DamagedRunError, match=r"part-00001\.parquet is damaged \(its SHA-256 differs\)"):
        open_run(folder)


def test_damage_after_the_run_was_opened_is_refused_when_it_is_read(folder):
    run = open_run(folder)
    path = part_path(folder / "parts", 1)
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(DamagedRunError, match=r"part-00001\.parquet is damaged"):
        _ = run.metrics["token_f1"].value


def test_an_unchanged_part_is_read_whole_once(folder, monkeypatch):
    whole, read = [], FolderStore.read
    monkeypatch.setattr(FolderStore, "read", lambda store, name: whole.append(name) or read(store, name))
    run = open_run(folder)
    assert len([name for name in whole if name.endswith(".parquet")]) >= len(run.ids.ends)
    whole.clear()
    _ = run.report().render("json"), list(run.ids), list(run.inputs["questions"])
    assert not whole


def test_damage_of_a_column_that_no_time_reveals_is_refused_when_it_is_read(folder):
    run = open_run(folder)
    path = part_path(folder / "parts", 1)
    known, content = path.stat(), bytearray(path.read_bytes())
    column = ParquetFile(path).metadata.row_group(0).column(0)
    assert column.path_in_schema == "id"
    start = column.dictionary_page_offset or column.data_page_offset
    content[start + column.total_compressed_size - 1] ^= 1
    path.write_bytes(bytes(content))
    os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
    with pytest.raises(DamagedRunError, match=r"part-00001\.parquet is damaged"):
        list(run.ids)


def test_a_part_that_was_replaced_after_the_run_was_opened_is_not_mixed_with_the_others(folder):
    run = open_run(folder)
    path = part_path(folder / "parts", 1)
    parts = StoredParts(FolderStore(folder / "parts"), read_manifest(FolderStore(folder)))
    part = read_part(path, parts.identity(1))
    result = part.results[0]
    status = np.zeros(len(result), np.uint8)
    other = replace(
        part, results=[type(result)(result.measures, result.statistics, status), *part.results[1:]]
    )
    path.write_bytes(packed(other, parts.identity(1)))
    with pytest.raises(RunDirectoryError, match="was replaced after the run was opened: open the run again"):
        _ = run.metrics["token_f1"].value


def test_a_folder_that_was_deleted_is_reported_in_one_line(folder):
    run = open_run(folder)
    part_path(folder / "parts", 2).unlink()
    with pytest.raises(RunDirectoryError, match=r"part-00002\.parquet cannot be read: No such file"):
        _ = run.metrics["token_f1"].value


def test_a_small_run_is_read_whole_and_outlives_its_folder(folder, monkeypatch):
    run = eager(folder, monkeypatch)
    expected = run.to_json()
    for path in (folder / "parts").iterdir():
        path.unlink()
    assert run.to_json() == expected
    assert type(run.ids) is FrozenColumn


def test_a_part_of_other_settings_is_refused_as_in_memory(folder, monkeypatch):
    path = part_path(folder / "parts", 1)
    parts = StoredParts(FolderStore(folder / "parts"), read_manifest(FolderStore(folder)))
    part = read_part(path, parts.identity(1))
    path.write_bytes(packed(replace(part, results=part.results[::-1]), parts.identity(1)))
    with pytest.raises(RunDirectoryError) as lazily:
        open_run(folder)
    with pytest.raises(RunDirectoryError) as whole:
        eager(folder, monkeypatch)
    assert str(lazily.value) == str(whole.value)
    assert "do not belong together" in str(lazily.value)


def test_results_that_are_saved_again_are_equal(folder, tmp_path):
    run = open_run(folder)
    run.save(tmp_path / "again")
    run.save(tmp_path / "again.json")
    again = open_run(tmp_path / "again")
    assert json.loads(again.to_json())["results"] == json.loads(run.to_json())["results"]
    assert list(again.ids) == list(run.ids)
    assert open_run(tmp_path / "again.json").to_json() == run.to_json()


def other_answers(**changes):
    return DATA | {"predicted_answers": ["one", "two", None, "four words"] * 3} | changes


@pytest.mark.parametrize(
    ("changes", "chunk"),
    [
        ({}, 5),
        ({}, 4),
        ({"ground_truth_answers": ["one", "two", "3", "four words"] * 3}, 5),
        ({"id": [f"item {number}" for number in range(4, 4 + ITEMS)]}, 5),
        ({"id": [f"item {number}" for number in reversed(range(ITEMS))]}, 3),
    ],
    ids=["same items", "other chunks", "other truths", "some items", "other order"],
)
def test_comparisons_are_those_of_runs_in_memory(folder, tmp_path, monkeypatch, changes, chunk):
    evaluate("qa", read_dataset(other_answers(**changes)), out=tmp_path / "other", chunk_size=chunk)
    lazy = open_run(folder).compare(open_run(tmp_path / "other"))
    whole = eager(folder, monkeypatch).compare(eager(tmp_path / "other", monkeypatch))
    assert lazy.render("json") == whole.render("json")
    mixed = open_run(folder).compare(eager(tmp_path / "other", monkeypatch))
    assert mixed.render("json") == whole.render("json")
    assert eager(folder, monkeypatch).compare(open_run(tmp_path / "other")).render("json") == whole.render(
        "json"
    )


def test_runs_of_equal_data_are_joined_without_reading_ids_or_inputs(folder, tmp_path, monkeypatch):
    evaluate(["token_f1", "exact_match"], read_dataset(DATA), out=tmp_path / "other", chunk_size=4)
    first, second = open_run(folder), open_run(tmp_path / "other")
    columns = read_columns(monkeypatch)
    lazy = first.compare(second, metrics=["token_f1"])
    assert {row.comparison.difference for row in lazy.rows} == {0.0}
    lazy.render("json")
    read = {name for _, name in columns if name == "id" or name.startswith("input.")}
    assert read <= {"input.predicted_answers"}  # whether both runs gave the same answers


def test_a_selection_that_was_saved_is_not_joined_by_position(folder, tmp_path):
    reversed_items = open_run(folder).take(range(ITEMS)[::-1])
    reversed_items.save(tmp_path / "reversed")
    report = open_run(folder).compare(open_run(tmp_path / "reversed"))
    assert {(row.comparison.difference, row.comparison.losses) for row in report.rows} == {(0.0, 0)}


def test_a_list_of_runs_shows_the_same_of_a_lazy_run(folder, monkeypatch):
    assert summary_of(open_run(folder)) == summary_of(eager(folder, monkeypatch))


def test_a_page_of_a_lazy_run_is_that_of_the_run_in_memory(folder, monkeypatch):
    lazy, whole = open_run(folder), eager(folder, monkeypatch)
    assert lazy.report().render("html") == whole.report().render("html")


def hold_no_column(monkeypatch):
    """Let every attempt to load a whole column of statistics fail."""
    monkeypatch.delattr(StoredStatistics, "_read")
    monkeypatch.delattr(StoredStatistics, "columns")


@pytest.mark.parametrize("block", [3, 7])
def test_a_page_of_many_items_is_that_of_the_run_in_memory_and_holds_no_column(folder, monkeypatch, block):
    set_blocks(monkeypatch, block)
    whole = html_report([eager(folder, monkeypatch)], max_rows=5)
    hold_no_column(monkeypatch)
    assert html_report([open_run(folder)], max_rows=5) == whole


@pytest.mark.parametrize("block", [3, 7])
def test_a_page_of_two_long_runs_is_that_of_runs_in_memory_and_holds_no_column(
    folder, other_folder, monkeypatch, block
):
    set_blocks(monkeypatch, block)
    means = ["token_f1", "exact_match"]  # the tests of other measures swap items, if there are few
    monkeypatch.setattr(missing, "can_fill", lambda _: False)  # missing scores at their bounds are a vector
    runs = [eager(path, monkeypatch) for path in (folder, other_folder)]
    whole = html_report(runs, max_rows=5, metrics=means)
    hold_no_column(monkeypatch)
    assert html_report(list(map(open_run, (folder, other_folder))), max_rows=5, metrics=means) == whole


def test_percentiles_of_many_items_are_those_of_whole_vectors_and_hold_no_column(folder, monkeypatch):
    whole = eager(folder, monkeypatch).find_thresholds()
    set_blocks(monkeypatch, 4)
    hold_no_column(monkeypatch)
    blocks = open_run(folder).find_thresholds()
    assert blocks.keys() == whole.keys()
    for name in blocks.keys() - {"thresholds"}:
        assert blocks[name][:3] == whole[name][:3]
        average = whole[name][3]
        assert blocks[name][3] == (average and pytest.approx(average, rel=1e-12))


def test_notes_read_reasons_and_evidence_once(tmp_path, monkeypatch):
    facts = {"name": "judged", "items": 9, "chunk_size": 3}
    directory = RunDirectory.start(tmp_path / "judged", facts)
    for number in range(3):
        statistics, status = (
            Statistics({"score": [1.0, 0.0, 1.0]}),
            [Status.SCORED, Status.FAILED, Status.SCORED],
        )
        evidence = [{FOUND_IN_DATA: 1}, None, {"reason": "it says so"}]
        measures = [Measure(Signature("faithfulness"))]
        result = MetricResult(measures, statistics, status, {1: "HTTP 500"}, evidence)
        ids = FrozenColumn(f"{number} {row}" for row in range(3))
        directory.commit(number, lambda ids=ids, result=result: ChunkPart(ids, {}, [result]))
    directory.close({})
    run = open_run(tmp_path / "judged")
    columns = read_columns(monkeypatch)
    notes = [*run.report().notes, *run.report().notes]
    assert "faithfulness: 3 of 9 items failed: HTTP 500." in notes
    assert sum("in 3 of 9 items the judge repeated verdicts" in note for note in notes) == 2
    assert [name for _, name in columns].count("metric.0.reason") == 3
    # Searched once; each report decodes the entries with the key.
    assert [name for _, name in columns].count("metric.0.evidence") == 3 + 2 * 3


def test_exports_read_everything(folder, monkeypatch):
    lazy, whole = open_run(folder), eager(folder, monkeypatch)
    assert lazy.to_dataframe().equals(whole.to_dataframe())
    assert lazy.export() == whole.export()
    assert lazy.export(below={"token_f1": 0.5}) == whole.export(below={"token_f1": 0.5})
    assert lazy.individual_detailed_score_report() == whole.individual_detailed_score_report()
    assert lazy.find_thresholds() == whole.find_thresholds()


def without_ids(**changes):
    repeated = ["why?", "how?", "why?", None] * 3
    return {
        **{name: column for name, column in other_answers().items() if name != "id"},
        "question": repeated,
    } | changes


def test_runs_without_ids_are_joined_by_question_as_in_memory(tmp_path, monkeypatch):
    shuffled = {"question": ["how?", "why?", "what?", "why?"] * 3}
    folders = [tmp_path / "first", tmp_path / "second"]
    for path, changes in zip(folders, ({}, shuffled), strict=True):
        evaluate("qa", read_dataset(without_ids(**changes)), out=path, chunk_size=5)
    lazy = open_run(folders[0]).compare(open_run(folders[1]))
    whole = eager(folders[0], monkeypatch).compare(eager(folders[1], monkeypatch))
    assert "more than once" in " ".join(whole.notes)
    assert lazy.render("json") == whole.render("json")
    assert summary_of(open_run(folders[0])) == summary_of(eager(folders[0], monkeypatch))


@pytest.mark.parametrize("block", [1, 4, 7])
def test_reports_computed_in_blocks_are_equal_on_disk_and_in_memory(folder, monkeypatch, block):
    set_blocks(monkeypatch, block)
    assert open_run(folder).report().render("json") == eager(folder, monkeypatch).report().render("json")


def test_values_and_intervals_in_blocks_agree_with_those_of_whole_vectors(folder, monkeypatch):
    whole = {name: interval(metric.result, name) for name, metric in open_run(folder).metrics.items()}
    set_blocks(monkeypatch, 4)
    for name, metric in open_run(folder).metrics.items():
        merged, exact = interval(metric.result, name), whole[name]
        assert (merged is None) == (exact is None)
        if merged is not None:
            assert merged.method == exact.method
            assert (merged.low, merged.high) == pytest.approx((exact.low, exact.high), rel=1e-12, abs=1e-12)


def test_a_report_of_many_items_reads_each_statistic_once_and_keeps_none(folder, monkeypatch):
    set_blocks(monkeypatch, 4)
    monkeypatch.delattr(StoredStatistics, "_read")
    columns = read_columns(monkeypatch)
    open_run(folder).report().render("json")
    statistics = [column for column in columns if ".statistic." in column[1]]
    assert len(statistics) == len(set(statistics))


@pytest.fixture
def other_folder(folder):
    """A run of the same data with other answers; two of its scores failed."""
    run = open_run(folder)
    results = []
    for result in run.results:
        statistics = result.statistics.take(np.arange(ITEMS)[::-1])
        status = np.where(np.arange(ITEMS) % 5 == 2, Status.FAILED, result.status)
        results.append(MetricResult(result.measures, statistics, status, primary=result.primary))
    manifest = read_manifest(FolderStore(folder))
    facts = {key: manifest[key] for key in ("data", "items", "ids_given")}
    directory = RunDirectory.start(
        folder.parent / "other", facts | {"name": "other", "pipeline": "reversed", "chunk_size": 7}
    )
    for number, rows in enumerate((slice(0, 7), slice(7, ITEMS))):
        inputs = {name: column[rows] for name, column in run.inputs.items()}
        part = ChunkPart(run.ids[rows], inputs, [each.take(range(ITEMS)[rows]) for each in results])
        directory.commit(number, lambda part=part: part)
    directory.close({"seconds": 1.0, "asking": []})
    return folder.parent / "other"


@pytest.mark.parametrize("block", [1, 4, 7])
def test_comparisons_in_blocks_are_equal_on_disk_and_in_memory(folder, other_folder, monkeypatch, block):
    set_blocks(monkeypatch, block)
    whole = eager(folder, monkeypatch).compare(eager(other_folder, monkeypatch))
    assert open_run(folder).compare(open_run(other_folder)).render("json") == whole.render("json")


def test_comparisons_in_blocks_agree_with_those_of_whole_vectors(folder, other_folder, monkeypatch):
    whole = open_run(folder).compare(open_run(other_folder)).rows
    set_blocks(monkeypatch, 4)
    merged = open_run(folder).compare(open_run(other_folder)).rows
    assert len(whole) > 3
    for one, other in zip(merged, whole, strict=True):
        assert numbers_of(one) == pytest.approx(numbers_of(other), rel=1e-12, abs=1e-12, nan_ok=True)
        assert one.verdict == other.verdict


def numbers_of(row):
    facts = vars(row.comparison)
    numbers = {name: number for name, number in facts.items() if isinstance(number, int | float)}
    ends = [(facts[name].low, facts[name].high) for name in ("interval", "narrow") if facts[name]]
    return [*numbers.values(), *(end for pair in ends for end in pair)]


def test_a_comparison_of_many_items_reads_each_statistic_once(folder, other_folder, monkeypatch):
    set_blocks(monkeypatch, 4)
    monkeypatch.delattr(StoredStatistics, "_read")
    monkeypatch.setattr(missing, "can_fill", lambda _: False)  # missing scores at their bounds are a vector
    runs = open_run(folder), open_run(other_folder)
    columns = read_columns(monkeypatch)
    runs[0].compare(runs[1]).render("json")
    statistics = [column for column in columns if ".statistic." in column[1]]
    assert len(statistics) == 5 * len({name for _, name in statistics})  # 3 parts and 2


def test_item_scores_of_many_items_read_no_other_column(folder, monkeypatch):
    monkeypatch.setattr(Statistics, "WHOLE", 4)
    result = open_run(folder).results[0]
    columns = read_columns(monkeypatch)
    scores = result.item_scores()
    np.testing.assert_array_equal(scores, eager(folder, monkeypatch).results[0].item_scores())
    assert len({name for _, name in columns if ".statistic." in name}) == 1


def test_columns_beyond_the_limit_are_read_again_and_others_stay(folder, monkeypatch):
    set_blocks(monkeypatch, 4)
    monkeypatch.setattr(stored_statistics, "LIMIT", 0)
    metrics = open_run(folder).metrics
    scored = [metric for metric in metrics.values() if metric.measure.item_score]
    first = scored[0]
    second = next(metric for metric in scored if metric.measure.item_score != first.measure.item_score)
    columns = read_columns(monkeypatch)
    for metric in (first, first, second, second):
        assert len(metric.scores) == ITEMS
    assert len([name for _, name in columns if ".statistic." in name]) == 2 * 3


def test_only_the_evidence_that_is_taken_is_decoded(tmp_path, monkeypatch):
    scores, evidence = Statistics({"score": np.ones(ITEMS)}), [{"n": number} for number in range(ITEMS)]
    result = MetricResult([Measure(Signature("judged"), Mean(), "score")], scores, evidence=evidence)
    directory = RunDirectory.start(
        tmp_path / "run",
        {"name": "run", "data": "d", "pipeline": "p", "items": ITEMS, "chunk_size": 5, "ids_given": True},
    )
    for number, rows in enumerate((range(5), range(5, 10), range(10, ITEMS))):
        part = ChunkPart(FrozenColumn(f"item {row}" for row in rows), {}, [result.take(rows)])
        directory.commit(number, lambda part=part: part)
    directory.close({"seconds": 1.0, "asking": []})
    stored = open_run(tmp_path / "run").results[0].evidence
    decoded = []
    read = part_source.read_evidence
    monkeypatch.setattr(part_source, "read_evidence", lambda texts: decoded.append(len(texts)) or read(texts))
    assert list(stored.take([11, 0, 6])) == [{"n": 11}, {"n": 0}, {"n": 6}]
    assert decoded == [1, 1, 1]
    assert not list(stored.take([]))
    assert len(decoded) == 3


def test_gates_on_the_lowest_score_of_many_items_hold_no_vector(folder, monkeypatch):
    whole = open_run(folder).gate(["min(token_f1)>=0.1", "max(token_f1)<=0.5"])
    set_blocks(monkeypatch, 4)
    monkeypatch.delattr(StoredStatistics, "_read")
    columns = read_columns(monkeypatch)
    outcome = open_run(folder).gate(["min(token_f1)>=0.1"])
    assert outcome.decisions[0] == whole.decisions[0]
    assert not [name for _, name in columns if name.startswith("metric.0.statistic")]


@pytest.mark.parametrize("block", [3, 5])
def test_gates_on_the_share_of_items_hold_no_vector_of_many_items(folder, other_folder, monkeypatch, block):
    options = {"allow_missing": 1.0, "decide_by": "value"}
    lines = ["items(token_f1>=0.5)>=99%", "token_f1>=0.99", "items(token_f1>=0.5)>=baseline+0.5"]
    monkeypatch.setattr(
        quantities.base, "can_fill", lambda _: False
    )  # missing scores at their bounds are a vector
    vectors = eager(other_folder, monkeypatch).gate(lines, baseline=eager(folder, monkeypatch), **options)
    worst = [decision.worst for decision in vectors.decisions]
    set_blocks(monkeypatch, block)
    whole = eager(other_folder, monkeypatch).gate(lines, baseline=eager(folder, monkeypatch), **options)
    hold_no_column(monkeypatch)
    outcome = open_run(other_folder).gate(lines, baseline=open_run(folder), **options)
    assert outcome.decisions == whole.decisions
    assert [decision.worst for decision in outcome.decisions] == worst
    assert all(worst)


@pytest.mark.parametrize("by", ["token_f1", "questions", "exact_match == 1"])
@pytest.mark.parametrize("block", [3, 5])
def test_slices_of_many_items_are_those_of_the_run_in_memory(folder, monkeypatch, by, block):
    set_blocks(monkeypatch, block)
    whole = eager(folder, monkeypatch).individual_sliced_score_report(by, "json")
    assert open_run(folder).individual_sliced_score_report(by, "json") == whole


def test_slices_of_many_items_by_a_score_hold_no_column_and_read_each_block_three_times(folder, monkeypatch):
    only = Analysis(metrics=["exact_match"])
    vectors = SliceReport(eager(folder, monkeypatch), "token_f1", only)
    _ = vectors.rows
    set_blocks(monkeypatch, 5)
    hold_no_column(monkeypatch)
    columns = read_columns(monkeypatch)
    blocks = SliceReport(open_run(folder), "token_f1", only)
    for block, vector in zip(blocks.rows, vectors.rows, strict=True):
        assert (block.name, block.estimate.items) == (vector.name, vector.estimate.items)
        assert (block.estimate.value, block.p_value) == pytest.approx(
            (vector.estimate.value, vector.p_value), rel=1e-12, nan_ok=True
        )
    # The scores that make the slices are sorted and coded, then all slices are added up in one pass.
    assert [name for _, name in columns].count("metric.0.statistic.score") <= 3 * 3


def test_statuses_of_a_run_without_failures_take_no_memory(folder):
    result = open_run(folder).metrics["exact_match"].result
    expected = result.status.strides == (0,)
    assert expected == bool((result.status == Status.SCORED).all())


def test_a_run_of_many_items_stays_on_disk_although_its_parts_are_small(folder, monkeypatch):
    monkeypatch.setattr(run_results, "SMALL", math.inf)
    assert not isinstance(open_run(folder).ids, PartedColumn)
    monkeypatch.setattr(run_results, "FEW", ITEMS - 1)
    assert isinstance(open_run(folder).ids, PartedColumn)
