"""Experiments: all configurations answered, stored, resumed and compared; failures cost only themselves."""

import json
import warnings

import pytest
from haystack import Pipeline
from haystack.components.retrievers import InMemoryBM25Retriever
from numpy.testing import assert_array_equal

from pipelines.query_systems import ANSWERS, HEIGHTS, QUESTIONS, Writer, asked, rag
from thresher import InputError, RunDirectoryError, build, experiment, open_run, verify_run
from thresher.errors import ComponentError, DataWarning
from thresher.judges import Prices, Recording

DATA = {"question": QUESTIONS, "answer": ANSWERS}


def run(tmp_path, vary=None, *, pipeline=None, **options):
    pipeline = pipeline or rag(Writer(str(tmp_path / "log")))
    vary = {"retriever.top_k": [1, 2]} if vary is None else vary
    given = {"metrics": "exact_match", "out": tmp_path / "out", "block": 3} | options
    return experiment(pipeline, given.pop("questions", DATA), vary=vary, **given)


def calls(tmp_path):
    return asked(tmp_path / "log")


def state(tmp_path):
    return json.loads((tmp_path / "out" / "experiment.json").read_text(encoding="utf-8"))


def test_each_configuration_is_a_run_directory_with_its_settings(tmp_path):
    result = run(tmp_path)
    assert result.names == ["top_k=1", "top_k=2"]
    assert result.complete
    for name, top_k in (("top_k=1", 1), ("top_k=2", 2)):
        [folder] = (tmp_path / "out").glob(f"{name}-????????")
        stored = open_run(folder)
        assert (stored.name, stored.complete) == (name, True)
        assert stored.provenance["settings"] == {"retriever.top_k": top_k} == result.settings[name]
        assert stored.metric("exact_match").value == result[name].metric("exact_match").value
        assert {len(ranking) for ranking in stored.inputs["rankings"]} == {top_k}
        assert verify_run(folder).whole


def test_the_results_are_a_mapping_that_prints_as_a_leaderboard(tmp_path):
    result = run(tmp_path)
    assert len(result) == 2
    assert list(result) == result.names
    assert set(result.best) <= set(result.names)
    assert str(result) == result.leaderboard("table")
    assert "exact_match" in str(result)
    assert result.leaderboard("df")["run"].tolist() == [entry.run for entry in result.leaderboard().entries]
    assert "<table" in result._repr_html_()
    assert repr(result) == "ExperimentResults(2 configurations: top_k=1, top_k=2)"
    with pytest.raises(InputError, match=r"no configuration is called 'topk=1' \(did you mean 'top_k=1'"):
        result["topk=1"]


def test_what_answers_take_is_measured_and_not_tested(tmp_path):
    result = run(tmp_path, prices=Prices.parse("in=1,out=0"))
    names = [metric.name for metric in result["top_k=1"].results]
    assert {"exact_match", "latency", "tokens", "cost"} <= set(names)
    assert list(result["top_k=1"].primary) == ["exact_match"]
    assert result["top_k=1"].metric("cost").value == pytest.approx(12e-6)
    again = run(tmp_path, {"retriever.top_k": [1, 2, 3]})  # without prices: the runs stay comparable
    assert "cost" in [metric.name for metric in again["top_k=3"].results]


def test_metrics_of_the_user_stay_as_they_are(tmp_path):
    metrics = build(["exact_match"])
    run(tmp_path, metrics=metrics)
    assert sorted(metrics.graph.nodes) == ["collector", "exact_match"]
    assert metrics.get_component("collector").primary is None


def test_parameters_that_vary_together_are_one_factor_of_the_effects(tmp_path):
    size = {"one": {"retriever.top_k": 1, "retriever.scale_score": True}, "two": {"retriever.top_k": 2}}
    result = run(tmp_path, {"size": size, "writer.finish": ["stop", "length"]})
    table = result.effects()
    assert table["setting"] == ["size", "writer.finish"]
    assert (table["before"], table["after"]) == (["one", "stop"], ["two", "length"])
    assert table["runs"] == [4, 4]
    assert result["size=two,finish=stop"].provenance["factors"] == {"size": "two", "writer.finish": "stop"}


def test_the_same_call_asks_nothing_and_a_changed_grid_adds_configurations(tmp_path):
    first = run(tmp_path)
    before = len(calls(tmp_path))
    again = run(tmp_path)
    assert len(calls(tmp_path)) == before
    for name, results in first.items():
        assert_array_equal(again[name].metric("exact_match").scores, results.metric("exact_match").scores)
    more = run(tmp_path, {"retriever.top_k": [1, 2, 3]})
    assert more.names == ["top_k=1", "top_k=2", "top_k=3"]
    assert len(calls(tmp_path)) == before + len(QUESTIONS)
    assert len(list((tmp_path / "out").glob("top_k=*"))) == 3


class Stopped(BaseException):
    """What stops a process, such as a signal."""


def test_a_stopped_experiment_continues_without_asking_twice(tmp_path, monkeypatch):
    reply, stop_at = Writer.reply, 7

    def stopping(writer, prompt):
        if len(calls(tmp_path)) >= stop_at:
            raise Stopped
        return reply(writer, prompt)

    monkeypatch.setattr(Writer, "reply", stopping)
    with pytest.raises(Stopped):
        run(tmp_path, workers=1)
    assert state(tmp_path)["configurations"]["top_k=1"]["state"] == "incomplete"
    monkeypatch.setattr(Writer, "reply", reply)
    resumed = run(tmp_path)
    assert resumed.complete
    assert len(calls(tmp_path)) == 2 * len(QUESTIONS)
    undisturbed = run(tmp_path, out=tmp_path / "other")
    for name, results in undisturbed.items():
        metric = results.metric("exact_match")
        assert_array_equal(resumed[name].metric("exact_match").scores, metric.scores)


def test_configurations_with_equal_prompts_share_the_calls_of_generators(tmp_path):
    run(tmp_path, {"retriever.scale_score": [True, False]})
    assert len(calls(tmp_path)) == len(QUESTIONS)


def test_another_pipeline_or_other_questions_get_folders_of_their_own(tmp_path):
    run(tmp_path)
    other = rag(Writer(str(tmp_path / "log"), fail_on="never"))
    run(tmp_path, pipeline=other)
    run(tmp_path, questions={"question": QUESTIONS[:4], "answer": ANSWERS[:4]})
    assert len(list((tmp_path / "out").glob("top_k=1-*"))) == 3
    assert len(state(tmp_path)["earlier"]) == 4


def test_a_folder_with_the_answers_to_other_questions_is_refused(tmp_path):
    run(tmp_path)
    [folder] = (tmp_path / "out").glob("top_k=1-*")
    run(tmp_path, questions={"question": QUESTIONS[:4], "answer": ANSWERS[:4]})
    [other] = set((tmp_path / "out").glob("top_k=1-*")) - {folder}
    name = other.name
    other.rename(tmp_path / "aside")
    folder.rename(folder.with_name(name))
    with pytest.raises(RunDirectoryError, match="holds a run with other data"):
        run(tmp_path, questions={"question": QUESTIONS[:4], "answer": ANSWERS[:4]})


def test_blocks_go_round_all_configurations(tmp_path):
    run(tmp_path, {"retriever.top_k": [1, 2]}, workers=1)
    order = [QUESTIONS.index(question) for question in map(question_of, calls(tmp_path))]
    assert order == [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7, 6, 7]


def question_of(prompt):
    return next(question for question in QUESTIONS if question in prompt)


def test_a_failing_question_fails_only_its_own_item_and_is_asked_again(tmp_path):
    switch = tmp_path / "switch"
    failing = rag(Writer(str(tmp_path / "log"), fail_on=QUESTIONS[2]))
    result = run(tmp_path, pipeline=failing)
    metric = result["top_k=1"].metric("exact_match").result
    assert metric.n_scored == len(QUESTIONS) - 1
    assert QUESTIONS[2] in metric.reasons[2] or "failed" in metric.reasons[2]
    assert not switch.exists()
    before = len(calls(tmp_path))
    run(tmp_path, pipeline=failing)
    again = [question_of(prompt) for prompt in calls(tmp_path)[before:]]
    assert set(again) <= {QUESTIONS[2]}


def test_a_configuration_that_cannot_be_built_is_listed_and_the_others_run(tmp_path):
    result = run(tmp_path, {"retriever.top_k": [1, -1]})
    assert result.names == ["top_k=1"]
    assert result.failures["top_k=-1"] == (
        "retriever (InMemoryBM25Retriever): ValueError: top_k must be greater than 0, but got -1 "
        "(with retriever.top_k=-1)"
    )
    assert not result.complete
    assert "top_k=-1 could not run: " in str(result)
    with pytest.raises(InputError, match=r"top_k=-1 has no results: .*greater than 0"):
        result["top_k=-1"]
    states = {name: entry["state"] for name, entry in state(tmp_path)["configurations"].items()}
    assert states == {"top_k=1": "complete", "top_k=-1": "failed"}


def test_a_configuration_in_which_every_question_fails_is_listed_too(tmp_path):
    result = run(tmp_path, {"writer.fail_on": ["", " "]}, pipeline=rag(Writer(str(tmp_path / "log"))))
    assert len(result) == 1
    [(name, reason)] = result.failures.items()
    assert "none of 3 questions got an answer" in reason
    assert "failed in writer" in reason
    assert state(tmp_path)["configurations"][name]["folder"] is None
    assert len(list((tmp_path / "out").glob("*/run.json"))) == 1


def test_a_configuration_whose_questions_all_fail_for_their_own_reasons_is_listed(tmp_path):
    Recording("another model").save(tmp_path / "empty.json.gz")
    writer = {"type": "pipelines.query_systems.Writer", "init_parameters": {"log": str(tmp_path / "log")}}
    recorded = {
        "type": "thresher.pipelines.recorded_generator.RecordedGenerator",
        "init_parameters": {"recording": str(tmp_path / "empty.json.gz")},
    }
    vary = {"writer": {"model": writer, "recording": recorded}}
    result = run(tmp_path, vary)
    assert list(result.failures) == ["writer=recording"]
    assert "no answer to 8 of 8 questions" in result.failures["writer=recording"]
    assert "record it again" in result.failures["writer=recording"]
    assert not result.complete
    assert state(tmp_path)["configurations"]["writer=recording"]["state"] == "failed"


def test_configurations_without_any_answer_are_not_called_complete(tmp_path):
    for name in ("one", "two"):
        Recording(name).save(tmp_path / f"{name}.json.gz")
    recorded = {
        name: {
            "type": "thresher.pipelines.recorded_generator.RecordedGenerator",
            "init_parameters": {"recording": str(tmp_path / f"{name}.json.gz")},
        }
        for name in ("one", "two")
    }
    table = run(tmp_path, {"writer": recorded}).overview().table()
    assert table["state"] == ["failed", "failed"]


def test_if_every_configuration_fails_while_it_runs_it_is_the_error_of_a_component(tmp_path):
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    with pytest.raises(
        ComponentError, match=r"can run: log=\w+: none of 3 questions .*/a.*\(and 1 other reason\)"
    ):
        run(tmp_path, {"writer.log": list(map(str, folders))})


def test_if_no_configuration_can_run_the_reason_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"no configuration can run: .*top_k must be greater than 0"):
        run(tmp_path, {"retriever.top_k": [-1, 0]})
    with pytest.raises(InputError, match=r"no configuration can run: .*ground_truth_documents"):
        run(tmp_path, metrics="retrieval_recall")


def test_an_unknown_path_is_refused_before_a_folder_is_made(tmp_path):
    with pytest.raises(InputError, match=r"retriever\.topk: .*did you mean 'top_k'"):
        run(tmp_path, {"retriever.topk": [1]})
    assert not (tmp_path / "out").exists()


def test_one_configuration_prints_as_its_run(tmp_path):
    result = run(tmp_path, {}, configurations={"as it is": {}})
    assert result.best == ["as it is"]
    assert "exact_match" in str(result)
    assert "<table" in result._repr_html_()


def test_repeats_ask_each_question_again(tmp_path):
    result = run(tmp_path, {"retriever.top_k": [1]}, repeats=2)
    assert len(calls(tmp_path)) == 2 * len(QUESTIONS)
    assert len(result["top_k=1"]) == 2 * len(QUESTIONS)


def test_a_budget_stops_before_the_next_block_and_the_same_call_continues(tmp_path):
    prices = Prices.parse("in=1,out=0")
    with pytest.warns(match="questions were not asked"):
        first = run(tmp_path, prices=prices, max_cost=50e-6)
    assert not first.complete
    asked_first = len(calls(tmp_path))
    assert 0 < asked_first < 2 * len(QUESTIONS)
    again = run(tmp_path, prices=prices)
    assert again.complete
    assert len(calls(tmp_path)) == 2 * len(QUESTIONS)
    assert again["top_k=1"].metric("exact_match").result.n_scored == len(QUESTIONS)


def test_a_factory_makes_the_pipelines(tmp_path):
    def make(top_k):
        return rag(Writer(str(tmp_path / "log")), top_k)

    result = run(tmp_path, {"top_k": [1, 2]}, pipeline=make)
    assert result.names == ["top_k=1", "top_k=2"]
    assert result["top_k=2"].provenance["settings"] == {"top_k": 2}
    before = len(calls(tmp_path))
    run(tmp_path, {"top_k": [1, 2]}, pipeline=make)
    assert len(calls(tmp_path)) == before


def test_a_pipeline_that_only_searches_is_scored_by_its_documents(tmp_path):
    search = Pipeline()
    retriever = rag(Writer(str(tmp_path / "log"))).get_component("retriever")
    search.add_component("retriever", InMemoryBM25Retriever(retriever.document_store))
    questions = {"question": QUESTIONS, "ground_truth_documents": [[name] for name in HEIGHTS]}
    result = run(tmp_path, pipeline=search, questions=questions, metrics="retrieval_recall")
    assert result["top_k=1"].metric("retrieval_recall").value == 1.0
    assert "predicted_answers" not in result["top_k=1"].inputs
    with pytest.raises(InputError, match=r"no configuration can run: .*predicted_answers"):
        run(tmp_path, pipeline=search, out=tmp_path / "other")


def test_the_state_records_the_grid_and_every_configuration(tmp_path):
    run(tmp_path)
    content = state(tmp_path)
    assert content["grid"]["vary"] == {"retriever.top_k": [1, 2]}
    assert content["current"] == ["top_k=1", "top_k=2"]
    entry = content["configurations"]["top_k=1"]
    assert (entry["state"], entry["settings"]) == ("complete", {"retriever.top_k": 1})
    assert (tmp_path / "out" / entry["folder"] / "run.json").exists()
    assert entry["seconds"] > 0


def test_a_damaged_state_is_kept_aside_and_written_anew(tmp_path):
    run(tmp_path)
    file = tmp_path / "out" / "experiment.json"
    file.write_text(file.read_text(encoding="utf-8").replace("top_k=1", "top_k=9"), encoding="utf-8")
    with pytest.warns(DataWarning, match=r"experiment\.json is damaged \(its SHA-256 differs\)"):
        run(tmp_path)
    assert "top_k=1" in state(tmp_path)["configurations"]
    assert list(file.parent.glob("experiment.json.damaged-*"))


def test_what_is_not_an_experiment_is_refused(tmp_path):
    pipeline = rag(Writer(str(tmp_path / "log")))
    with pytest.raises(InputError, match="give one of recipe and metrics"):
        experiment(pipeline, DATA, vary={"retriever.top_k": [1]}, out=tmp_path / "out")
    with pytest.raises(InputError, match="indexing needs documents too"):
        run(tmp_path, indexing=Pipeline())
    assert list(run(tmp_path, {}, out=tmp_path / "single")) == ["unchanged"]
    run(tmp_path, {"retriever.top_k": [1]})
    [folder] = (tmp_path / "out").glob("top_k=1-*")
    with warnings.catch_warnings(), pytest.raises(RunDirectoryError, match="is a run directory"):
        run(tmp_path, out=folder)
