"""Measures by their names without the family, where only one is meant; and names that begin with their metric."""

import pytest

from thresher import EvaluationResults
from thresher.components import metric_class
from thresher.components.catalogue import catalogue
from thresher.errors import InputError
from thresher.results.primary import choose_primary

DOCUMENTS = [["a", "b"], ["c"]] * 20, [["a"], ["c"]] * 20
DATA = {"id": [str(item) for item in range(40)]}


def recall(name="run"):
    result = metric_class("retrieval_recall")().run(*DOCUMENTS)["result"]
    return EvaluationResults(DATA, [result], name=name)


def test_measures_begin_with_the_name_of_their_metric():
    for entry in catalogue():
        for measure in entry.measures:
            assert measure.name.startswith(entry.name) or entry.name == "recorded_scores"


def test_results_and_primary_measures_take_short_names():
    (result,) = recall().results
    assert result.value("recall") == 0.75
    (chosen,) = choose_primary([result], ["recall"])
    assert chosen.primary == ("retrieval_recall",)
    with pytest.raises(InputError, match="no measure 'precision'"):
        choose_primary([result], ["precision"])


def test_reports_gates_and_conditions_take_short_names():
    run, other = recall(), recall("other")
    assert run.metric("recall") is run.metric("retrieval_recall")
    requirements = ["recall>=0.5", "min(recall)>=0.5", "retrieval_recall[recall > 0.5]>=0.7"]
    assert run.gate(requirements).outcome == "passed"
    shown = run.comparative_aggregate_score_report(other, output_format="df", margins={"recall": 0.02})
    assert list(shown["margin"]) == [0.02]


def test_an_ambiguous_short_name_is_refused():
    labels = metric_class("classification_recall")(average="macro").run(["a", "b"] * 20, ["a", "b"] * 20)[
        "result"
    ]
    ranked = recall().results[0]
    run = EvaluationResults(DATA, [ranked, labels])
    assert run.metric("recall_macro").name == "classification_recall_macro"
    assert run.metric("recall").name == "retrieval_recall"
    second = metric_class("retrieval_recall")(name="valor_recall").run(*DOCUMENTS)["result"]
    with pytest.raises(InputError, match="no metric 'recall'"):
        EvaluationResults(DATA, [ranked, second]).metric("recall")
