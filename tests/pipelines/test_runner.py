import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from haystack import Pipeline
from haystack.components.evaluators import AnswerExactMatchEvaluator

import thresher
from pipelines.counting import CountingEvaluator
from processes import Forked
from thresher import InputError, RunDirectoryError, build, evaluate, open_run, read_dataset, save_run
from thresher.errors import ComponentError
from thresher.pipelines.run_directory import RunDirectory

SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
from thresher import build, evaluate, read_dataset
from pipelines.counting import CountingEvaluator
from processes import Forked

ids = [f"i{{n}}" for n in range(7)]
data = read_dataset({{"id": ids, "question": ["q" + "x" * n for n in range(7)]}})
evaluate(build([CountingEvaluator({log!r}, seconds=0.4)]), data, out={out!r}, chunk_size=1)
"""


def data(items=7, **columns):
    questions = [f"q{'x' * number}" for number in range(items)]
    return read_dataset({"id": [f"i{number}" for number in range(items)], "question": questions, **columns})


def counted(tmp_path, **options):
    return build([CountingEvaluator(str(tmp_path / "log"), **options)])


def asked(tmp_path):
    return (tmp_path / "log").read_text().split() if (tmp_path / "log").exists() else []


def test_chunks_make_the_whole(tmp_path):
    whole = evaluate(counted(tmp_path), data())
    chunked = evaluate(counted(tmp_path), data(), out=tmp_path / "run", chunk_size=3)
    assert chunked.metrics["length"].value == whole.metrics["length"].value == 4.0
    np.testing.assert_array_equal(chunked.metrics["length"].scores, whole.metrics["length"].scores)
    assert list(chunked.ids) == list(whole.ids)
    assert list(chunked.inputs["questions"]) == list(whole.inputs["questions"])
    assert len(list((tmp_path / "run" / "parts").iterdir())) == 3


def test_a_finished_run_is_not_computed_again(tmp_path):
    first = evaluate(counted(tmp_path), data(), out=tmp_path / "run")
    again = evaluate(counted(tmp_path), data(), out=tmp_path / "run")
    assert len(asked(tmp_path)) == 7
    assert again.metrics["length"].value == first.metrics["length"].value


def test_a_stored_run_is_the_computed_one(tmp_path):
    ours = read_dataset(
        {
            "question": ["a?", "b?"],
            "contexts": [["one", "two"], None],
            "predicted_answers": ["x", None],
            "ground_truth_answers": [["x", "y"], "z"],
            "rating": [1, None],
        }
    )
    pipeline = build(["token_f1", thresher.metric_class("recorded_scores")(column="rating")])
    fresh = evaluate(pipeline, ours, name="n", out=tmp_path / "run")
    kept = open_run(tmp_path / "run")
    assert kept.to_dict()["inputs"] == fresh.to_dict()["inputs"]
    assert list(kept.inputs["contexts"]) == [["one", "two"], None]
    assert kept.metrics["token_f1"].result.reasons == {1: "no entry in predicted_answers"}
    assert kept.provenance["complete"]
    assert set(kept.provenance["signatures"]) == {"token_f1", "token_f1_micro", "rating"}
    assert not kept.ids_given


def test_kill_9_loses_at_most_the_chunk_in_hand(tmp_path, monkeypatch):
    script = SCRIPT.format(
        tests=str(Path(__file__).parent.parent), log=str(tmp_path / "log"), out=str(tmp_path / "run")
    )
    process = Forked(script)
    deadline = time.monotonic() + 60
    while len(asked(tmp_path)) < 4 and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    process.kill()
    process.communicate()
    half = open_run(tmp_path / "run")
    assert 2 <= len(half) < 7
    assert not half.provenance["complete"]
    done = len(half)
    before = len(asked(tmp_path))
    monkeypatch.setattr("pipelines.counting.sleep", lambda _: None)
    whole = evaluate(counted(tmp_path, seconds=0.4), data(), out=tmp_path / "run", chunk_size=1)
    assert len(asked(tmp_path)) - before == 7 - done
    assert whole.metrics["length"].value == 4.0
    assert not list((tmp_path / "run" / "parts").glob("*.tmp")), "nothing half-written is left"


def test_another_run_in_the_folder_is_not_touched(tmp_path):
    evaluate(counted(tmp_path), data(), out=tmp_path / "run")
    with pytest.raises(
        RunDirectoryError,
        match=r"a run with other data, or data .* options: choose another directory with --out, ",
    ):
        evaluate(counted(tmp_path), data(6), out=tmp_path / "run")
    with pytest.raises(RunDirectoryError, match="holds a run with other metrics or settings"):
        evaluate(build([CountingEvaluator(str(tmp_path / "log"), name="l")]), data(), out=tmp_path / "run")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("years of work")
    with pytest.raises(RunDirectoryError, match="exists and is not a run directory"):
        evaluate(counted(tmp_path), data(), out=tmp_path / "full")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda run: (run / "run.json").unlink(), "it has no run.json"),
        (lambda run: (run / "run.json").write_text("{"), "run.json is damaged"),
        (lambda run: (run / "run.json").write_text("[]"), "run.json is damaged"),
        (lambda run: (run / "run.json").write_text('{"format": 99}'), "a newer version wrote it"),
        (
            lambda run: (run / "run.json").write_text('{"format": 1}'),
            "it lacks chunk_size, complete, identity, items, name",
        ),
        (
            lambda run: (run / "parts" / "part-00001.parquet").unlink(),
            r"lacks parts/part-00001.parquet: run again",
        ),
        (
            lambda run: (run / "parts" / "part-00001.parquet").write_bytes(b"PAR1"),
            "part-00001.parquet is damaged .*run again to compute it anew",
        ),
    ],
)
def test_damaged_runs_get_one_clear_line(tmp_path, damage, message):
    evaluate(counted(tmp_path), data(), out=tmp_path / "run", chunk_size=3)
    damage(tmp_path / "run")
    with pytest.raises(RunDirectoryError, match=message) as caught:
        open_run(tmp_path / "run")
    assert "\n" not in str(caught.value)


def test_a_deleted_part_is_computed_anew(tmp_path):
    evaluate(counted(tmp_path), data(), out=tmp_path / "run", chunk_size=3)
    (tmp_path / "run" / "parts" / "part-00001.parquet").unlink()
    assert evaluate(counted(tmp_path), data(), out=tmp_path / "run").metrics["length"].value == 4.0
    assert len(asked(tmp_path)) == 7 + 3


def test_a_run_without_a_finished_chunk_says_so(tmp_path):
    RunDirectory.start(tmp_path / "run", {"name": "n", "items": 2, "chunk_size": 1})
    with pytest.raises(RunDirectoryError, match=r"has no scores yet \(0 of 2 items\): repeat"):
        open_run(tmp_path / "run")
    with pytest.raises(RunDirectoryError, match="nowhere does not exist; give the path of a stored run"):
        open_run(tmp_path / "nowhere")


def test_a_run_that_is_not_there_suggests_runs_of_the_folder(tmp_path):
    RunDirectory.start(tmp_path / "top_k=3-335b3f77", {"name": "n", "items": 2, "chunk_size": 1})
    (tmp_path / "top_k=3-notes").mkdir()
    with pytest.raises(RunDirectoryError, match=r"does not exist \(did you mean 'top_k=3-335b3f77'\?\)$"):
        open_run(tmp_path / "top_k=3")
    with pytest.raises(RunDirectoryError, match=r"does not exist; give the path of a stored run$"):
        open_run(tmp_path / "elsewhere" / "top_k=3")
    with pytest.raises(RunDirectoryError, match=r"no run\.json; it holds runs, such as .*top_k=3-335b3f77$"):
        open_run(tmp_path)
    (tmp_path / "saved.json").write_text("{}")
    with pytest.raises(RunDirectoryError, match=r"does not exist \(did you mean 'saved.json'\?\)$"):
        open_run(tmp_path / "save.json")


def test_a_missing_column_is_found_before_anything_is_computed(tmp_path):
    with pytest.raises(
        InputError, match="token_f1 needs the column 'predicted_answers', and the data have questions"
    ):
        evaluate(build([CountingEvaluator(str(tmp_path / "log")), "token_f1"]), data())
    assert asked(tmp_path) == []


def test_all_columns_that_a_metric_lacks_are_named_at_once():
    with pytest.raises(InputError) as raised:
        evaluate("token_f1", read_dataset({"ask": ["a"], "said": ["b"]}))
    assert str(raised.value).startswith(
        "token_f1 needs the column 'predicted_answers', and the data have ask, said; it also needs "
        "'ground_truth_answers'; rename them with read_dataset(..., mapping={'COLUMN': 'predicted_answers', "
        "'COLUMN': 'ground_truth_answers'}), or leave out"
    )


def test_two_metrics_of_one_name_are_found_before_anything_is_computed(tmp_path):
    twice = build(
        {"a": CountingEvaluator(str(tmp_path / "log")), "b": CountingEvaluator(str(tmp_path / "log"))}
    )
    with pytest.raises(InputError, match="two metrics are called 'length'"):
        evaluate(twice, data(), out=tmp_path / "run")
    assert asked(tmp_path) == []
    assert not (tmp_path / "run").exists()


def test_a_failing_component_is_named_and_what_is_done_is_kept(tmp_path):
    with pytest.raises(ComponentError, match="length failed: RuntimeError: out of breath"):
        evaluate(counted(tmp_path, fail_on="qxxx"), data(), out=tmp_path / "run", chunk_size=3)
    assert len(open_run(tmp_path / "run")) == 3


def test_pipelines_without_a_collector_and_with_haystacks_metrics_run():
    bare = Pipeline()
    bare.add_component("f1", thresher.metric_class("token_f1")())
    answers = {"question": ["a"], "predicted_answers": ["x"], "ground_truth_answers": ["x"]}
    assert evaluate(bare, read_dataset(answers)).metrics["token_f1"].value == 1.0
    theirs = evaluate({"em": AnswerExactMatchEvaluator()}, read_dataset(answers))
    assert theirs.metrics["em"].value == 1.0
    nothing = Pipeline()
    nothing.add_component("em", AnswerExactMatchEvaluator())
    with pytest.raises(InputError, match="has no metric as output"):
        evaluate(nothing, read_dataset(answers))


def test_a_column_that_shares_a_metrics_name_is_not_lost():
    answers = {
        "question": ["a"],
        "predicted_answers": ["x"],
        "ground_truth_answers": ["x"],
        "token_f1": [0.5],
    }
    with pytest.raises(InputError, match="'token_f1' is both an input and a metric"):
        evaluate(["token_f1"], read_dataset(answers))


def test_no_items_are_a_run_too(tmp_path):
    empty = read_dataset({"id": [], "question": []})
    results = evaluate(counted(tmp_path), empty, out=tmp_path / "run")
    assert len(results) == 0
    assert np.isnan(results.metrics["length"].value)
    assert json.loads(open_run(tmp_path / "run").individual_aggregate_score_report("json"))["items"] == 0


def test_results_made_elsewhere_are_kept_as_a_run(
    tmp_path,
):
    results = thresher.EvaluationResults.from_dict(
        {
            "inputs": {"query_id": ["a", "b"], "note": [None, 1]},
            "metrics": [{"name": "hit", "scores": [1, None]}],
        }
    )
    save_run(results, tmp_path / "kept")
    again = open_run(tmp_path / "kept")
    assert again.to_dict()["inputs"] == results.to_dict()["inputs"]
    assert again.metrics["hit"].coverage == "1/2"
    with pytest.raises(RunDirectoryError):
        save_run(results, tmp_path / "kept")


def test_a_fresh_process_opens_a_run_whose_values_are_no_means(tmp_path):
    text = "one two three four five"
    ours = read_dataset({"question": ["a"], "predicted_answers": [text], "ground_truth_answers": [text]})
    evaluate(["bleu", "chrf"], ours, out=tmp_path / "run")
    opened = f"open_run({str(tmp_path / 'run')!r})"
    program = f"from thresher import open_run\nprint({opened}.metrics['bleu_corpus'].value)"
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert process.stdout == "1.0\n"


def test_a_column_called_like_a_metric_is_told_before_anything_is_written(tmp_path):
    answers = {
        "question": ["a"],
        "predicted_answers": ["x"],
        "ground_truth_answers": ["x"],
        "token_f1": [0.5],
    }
    with pytest.raises(InputError, match=r"mapping={'token_f1': 'old_token_f1'}"):
        evaluate(["token_f1"], read_dataset(answers), out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_haystacks_evaluators_run_into_a_directory(tmp_path):
    answers = read_dataset({"question": ["a"], "predicted_answers": ["x"], "ground_truth_answers": ["x"]})
    assert (
        evaluate({"em": AnswerExactMatchEvaluator()}, answers, out=tmp_path / "run").metrics["em"].value
        == 1.0
    )


@pytest.mark.parametrize("size", [-1, 0, 1.5])
def test_a_chunk_has_at_least_one_item(tmp_path, size):
    with pytest.raises(InputError, match="chunk_size"):
        evaluate(counted(tmp_path), data(), out=tmp_path / "run", chunk_size=size)
