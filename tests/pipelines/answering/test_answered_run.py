import pytest

from pipelines.query_systems import ANSWERS, QUESTIONS, Writer, asked, rag
from thresher import InputError, RunDirectoryError, build, open_run, verify_run
from thresher.errors import IncompleteWarning
from thresher.judges import Prices
from thresher.judges.engine.account import Account
from thresher.pipelines.answering import QueryPipeline, ReplyCache
from thresher.pipelines.answering.answered_run import AnsweredRun
from thresher.pipelines.answering.question_data import question_data
from thresher.pipelines.run_directory import RunDirectory
from thresher.results import Status

DATA = {"question": QUESTIONS, "answer": ANSWERS}
COST = Prices.parse("in=1,out=0")


def run(tmp_path, *, metrics=("exact_match",), fail_on="", top_k=1, data=DATA, **options):
    query = QueryPipeline(rag(Writer(str(tmp_path / "log"), fail_on=fail_on), top_k))
    options = {"block": 3, "settings": {"retriever.top_k": top_k}} | options
    return AnsweredRun(tmp_path / "run", query, build(list(metrics)), question_data(data), **options)


def test_a_run_of_answers_is_an_ordinary_run_directory(tmp_path):
    made = run(tmp_path, name="first", priced=True)
    made.answer(account=Account(COST))
    results = made.score()
    assert results.metric("exact_match").value == 1.0
    stored = open_run(tmp_path / "run")
    assert (stored.name, stored.complete, len(stored)) == ("first", True, 8)
    assert stored.provenance["settings"] == {"retriever.top_k": 1}
    assert list(stored.inputs["predicted_answers"]) == ANSWERS
    assert stored.inputs["rankings"][0][0][0] == "tower"
    assert stored.inputs["costs"][0] == pytest.approx(12e-6)
    assert stored.provenance["answering"][0]["calls"] == 8
    checks = {check.file: check.state for check in verify_run(tmp_path / "run").files}
    assert [checks.pop(name) for name in list(checks) if name.startswith("workers/")] == ["whole"]
    assert checks == {
        "run.json": "whole",
        "parts/part-00000.parquet": "whole",
        **{f"answers/part-0000{number}.parquet": "whole" for number in range(3)},
    }
    part = tmp_path / "run" / "answers" / "part-00001.parquet"
    part.write_bytes(part.read_bytes()[:-9])
    assert "answers/part-00001.parquet is damaged" in verify_run(tmp_path / "run").summary
    assert stored.compare(results).names


def test_questions_that_were_not_asked_leave_a_run_that_continues(tmp_path):
    made = run(tmp_path)
    assert not made.answer(account=Account(COST, max_cost=20e-6))
    with pytest.warns(IncompleteWarning, match="because 5 of 8 questions were not asked"):
        results = made.score()
    assert not results.complete
    assert results.metric("exact_match").result.n_scored == 3
    again = run(tmp_path)
    assert again.answer()
    assert again.score().metric("exact_match").result.n_scored == 8
    assert open_run(tmp_path / "run").complete
    assert len(asked(tmp_path / "log")) == len(QUESTIONS)


def test_a_failed_question_is_asked_again_and_its_new_answer_is_scored(tmp_path):
    first = run(tmp_path, fail_on="mast")
    first.answer()
    failed = first.score()
    assert Status(failed.metric("exact_match").result.status[1]) is Status.FAILED
    assert "out of paper" in failed.metric("exact_match").result.reasons[1]
    with pytest.raises(RunDirectoryError, match="holds a run with answers of another query pipeline"):
        run(tmp_path)
    again = run(tmp_path, fail_on="mast")
    again.query.pipeline.get_component("writer").fail_on = ""
    again.answer()
    results = again.score()
    assert results.metric("exact_match").result.n_scored == 8
    assert list(results.inputs["predicted_answers"]) == ANSWERS
    assert len(asked(tmp_path / "log")) == len(QUESTIONS) + 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"top_k": 2, "settings": {"retriever.top_k": 1}}, "answers of another query pipeline"),
        ({"settings": {"other": 1}}, "answers of another query pipeline"),
        ({"data": {"question": QUESTIONS[:4], "answer": ANSWERS[:4]}}, "other data"),
        ({"metrics": ["token_f1"]}, "other metrics or settings"),
        ({"repeats": 2}, "other data"),
    ],
)
def test_another_run_in_the_folder_is_refused_before_anything_is_asked(tmp_path, change, message):
    first = run(tmp_path)
    first.answer()
    first.score()
    with pytest.raises(RunDirectoryError, match=message):
        run(tmp_path, **change)
    assert len(asked(tmp_path / "log")) == len(QUESTIONS)


def test_repeats_ask_anew_and_are_averaged_in_reports(tmp_path):
    made = run(tmp_path, repeats=3)
    with ReplyCache(made.replies) as cache:
        made.answer(cache=cache)
    results = made.score()
    assert (len(results), len(asked(tmp_path / "log"))) == (24, 24)
    assert list(results.ids[:3]) == [f"{results.inputs['repeat_of'][0]}#{number}" for number in (1, 2, 3)]
    assert results.report().grouping.repeats == "repeat_of"


def test_a_metric_without_its_column_is_refused_before_anything_is_asked(tmp_path):
    with pytest.raises(InputError, match="retrieval_recall needs the column 'ground_truth_documents'"):
        run(tmp_path, metrics=["retrieval_recall"])
    assert asked(tmp_path / "log") == []


def test_an_item_that_a_metric_cannot_score_fails_alone(tmp_path):
    data = {"question": QUESTIONS, "ground_truth_answers": [*ANSWERS[:7], []]}
    made = run(tmp_path, data=data, metrics=["exact_match", "rouge"])
    made.answer()
    assert made.score().metric("exact_match").result.n_scored == 7


def test_credentials_among_the_settings_are_not_stored(tmp_path):
    run(tmp_path, settings={"writer.api_key": "hunter2-hunter2", "writer.model": "writer-1"}).answer()
    manifest = (tmp_path / "run" / "run.json").read_text()
    assert "writer-1" in manifest
    assert "hunter2" not in manifest


def test_answers_that_are_not_scored_yet_serve_other_metrics_but_no_other_pipeline(tmp_path):
    run(tmp_path, name="first").answer()
    with pytest.raises(RunDirectoryError, match="answers of another query pipeline"):
        run(tmp_path, top_k=2)
    with pytest.raises(RunDirectoryError, match="other data"):
        run(tmp_path, data={"question": QUESTIONS[:4], "answer": ANSWERS[:4]})
    assert RunDirectory.open(tmp_path / "run").manifest["name"] == "first"
    other = run(tmp_path, metrics=["token_f1"])
    other.answer()
    assert other.score().metric("token_f1").result.n_scored == 8
    assert len(asked(tmp_path / "log")) == len(QUESTIONS)
