import logging
from typing import Any

import pytest
from haystack import Pipeline, component

from pipelines.counting import CountingEvaluator
from thresher import InputError, MetricResult, build, evaluate, metric_class, read_dataset
from thresher.errors import ComponentError, MissingDependencyError
from thresher.metrics import item_metric
from thresher.pipelines.snapshots import silence_snapshot_warnings


def answers(**changed):
    columns = {
        "id": [f"i{number}" for number in range(5)],
        "predicted_answers": ["x"] * 5,
        "ground_truth_answers": ["x"] * 5,
        "contexts": [["one", "two"]] * 5,
        "rating": [1, 0, 1, 0, 1],
    }
    return read_dataset({**columns, **changed})


def metric(kind, /, **options):
    return metric_class(kind)(**options)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_message_names_the_item_in_every_chunk(tmp_path, size):
    data = answers(rating=[1, 0, 1, "high", 1])
    message = r"^rating: rating of item 'i3' \(entry 4 of the data\) is 'high'; give a number"
    for name in ("", "stars"):
        pipeline = build({"rating": metric("recorded_scores", column="rating", name=name)})
        with pytest.raises(InputError, match=message.replace(": rating", f": {name or 'rating'}")):
            evaluate(pipeline, data, out=tmp_path / f"run{name}", chunk_size=size)
    with pytest.raises(InputError, match=message):
        evaluate({"rating": metric("recorded_scores", column="rating")}, data)


def test_an_entry_inside_an_entry_keeps_its_own_position(monkeypatch, tmp_path):
    @component
    class Reader:
        @component.output_types(result=MetricResult)
        def run(self, contexts: list[list[str]]):
            if contexts:
                raise InputError("contexts[1][0] is int; contexts[7] and others[1] are no entries of ours")

    with pytest.raises(InputError) as message:
        evaluate({"reader": Reader()}, answers(), out=tmp_path / "run", chunk_size=5)
    assert str(message.value) == (
        "reader: contexts[0] of item 'i1' (entry 2 of the data) is int; "
        "contexts[7] and others[1] are no entries of ours"
    )


def test_a_failing_component_leaves_no_remarks_of_haystack(caplog, capfd, tmp_path):
    data = read_dataset(
        {"question": ["a", "b"], "predicted_answers": ["x", "y"], "ground_truth_answers": ["x", "z"]}
    )
    metrics = ["exact_match", "token_f1", CountingEvaluator(str(tmp_path / "log"), fail_on="b")]
    with pytest.raises(ComponentError, match="length failed: RuntimeError: out of breath"):
        evaluate(metrics, data)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert capfd.readouterr().err == ""


def test_pipelines_of_others_keep_haystacks_remarks(caplog, tmp_path):
    pipeline = Pipeline()
    pipeline.add_component("length", CountingEvaluator(str(tmp_path / "log"), fail_on="b"))
    columns = {"questions": read_dataset({"question": ["b"]}).columns["questions"]}
    with silence_snapshot_warnings():
        pass
    with pytest.raises(Exception, match="out of"):
        pipeline.run({"length": columns})
    assert "Failed to serialize" in caplog.text


def test_a_package_that_is_not_installed_is_still_told_as_that():
    @component
    class Needy:
        @component.output_types(result=MetricResult)
        def run(self, predicted_answers: list[str]):
            raise MissingDependencyError("torch", f"models{len(predicted_answers)}"[:6])

    with pytest.raises(MissingDependencyError, match=r"^needy: torch is not installed: run `pip install"):
        evaluate({"needy": Needy()}, answers())


def test_what_is_no_pipeline_no_data_and_no_option_is_refused():
    for pipeline in (3, None, object()):
        with pytest.raises(InputError, match="is not a pipeline"):
            evaluate(pipeline, answers())
    with pytest.raises(InputError, match="a data set cannot be read from the number 3"):
        evaluate("qa", 3)
    for wrong in ({"chunk_size": "3"}, {"chunk_size": True}, {"name": 3}, {"out": 3}):
        with pytest.raises(InputError, match=f"{next(iter(wrong))}="):
            evaluate("qa", answers(), **wrong)


def test_metrics_are_named_in_one_text():
    plain = {"questions": ["a"], "predicted_answers": ["x"], "ground_truth_answers": ["x"]}
    assert set(evaluate("exact_match, token_f1", plain).metrics) >= {"exact_match", "token_f1"}
    with pytest.raises(InputError, match=r"no recipe or metric is called 'qua' \(did you mean 'qa'\?\)"):
        evaluate("qua", plain)


def test_a_dict_of_lists_is_a_data_set():
    plain = {"questions": ["a", "b"], "predicted_answers": ["x", "y"], "ground_truth_answers": ["x", "z"]}
    assert evaluate(["exact_match"], plain).metrics["exact_match"].value == 0.5


def test_a_run_that_returns_no_dict_is_named_with_the_remedy():
    @component
    class Plain:
        @component.output_types(individual_scores=list[float], score=float)
        def run(self, predicted_answers: list[str]) -> Any:
            return len(predicted_answers)

    with pytest.raises(ComponentError, match="plain: `run` returned int instead of a dict; end it with `ret"):
        evaluate({"plain": Plain()}, {"predicted_answers": ["a", "b"]})


def test_an_input_with_the_name_that_the_source_uses_says_how_it_is_called():
    @item_metric
    def polite(response: str) -> float:
        return 1.0

    with pytest.raises(
        InputError, match="'response', which is read as 'predicted_answers': give the input of"
    ):
        evaluate([polite], {"response": ["a", "b"]})


def test_a_misspelt_input_has_a_suggestion():
    @item_metric
    def polite(predicted_answer: str) -> float:
        return 1.0

    with pytest.raises(InputError, match=r"'predicted_answer' \(did you mean 'predicted_answers'\?\), and"):
        evaluate([polite], {"predicted_answers": ["a", "b"]})
