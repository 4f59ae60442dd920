"""Components of other packages get None for a missing entry; the coverage counts the item as missing."""

import pytest
from haystack import Document, component
from haystack.components.evaluators import AnswerExactMatchEvaluator, DocumentMRREvaluator

from thresher import evaluate, run_batch
from thresher.errors import ComponentError
from thresher.results import Status

ROWS = {
    "id": ["a", "b", "c", "d"],
    "predicted_answers": ["x", None, "y", None],
    "ground_truth_answers": ["x", "x", "z", None],
    "mine": ["1", "2", None, "4"],
}


@component
class Agreement:
    """Counts a missing answer as wrong."""

    @component.output_types(individual_scores=list[float])
    def run(self, predicted_answers: list[str], ground_truth_answers: list[str], mine: list[str]):
        triples = zip(predicted_answers, ground_truth_answers, mine, strict=True)
        return {"individual_scores": [float(a == b and a is not None) for a, b, _ in triples]}


@component
class Answered:
    """Says in its types that it knows what a missing answer means."""

    @component.output_types(individual_scores=list[float])
    def run(self, predicted_answers: list[str | None], contexts: list[list[str]] | None = None):
        assert contexts is None or contexts[1] is None
        return {"individual_scores": [float(answer is not None) for answer in predicted_answers]}


def test_items_without_an_input_have_no_score():
    run = evaluate([Agreement(), AnswerExactMatchEvaluator()], ROWS)
    agreement, match = (run.metrics[name].result for name in ("Agreement", "AnswerExactMatchEvaluator"))
    assert agreement.status.tolist() == [Status.SCORED, *[Status.MISSING] * 3]
    assert dict(agreement.reasons) == {
        1: "no entry in predicted_answers",
        2: "no entry in mine",
        3: "no entry in predicted_answers",
    }
    assert (agreement.score, match.score) == (1.0, 0.5)
    assert (match.n_scored, match.reasons[3]) == (2, "no entry in ground_truth_answers")


def test_a_batch_has_the_same_coverage():
    columns = {name: ROWS[name] for name in ("ground_truth_answers", "mine")}
    run = run_batch([Agreement()], ["q"] * 4, ROWS["predicted_answers"], **columns)
    assert run.metrics["Agreement"].result.n_scored == 1


def test_types_with_none_keep_their_scores():
    run = evaluate([Answered()], {**ROWS, "contexts": [["c"], None, None, None]})
    assert (run.metrics["Answered"].value, run.metrics["Answered"].result.n_scored) == (0.5, 4)


def test_a_component_that_fails_on_a_missing_entry_names_the_item():
    data = {"id": ["a", "b"], "retrieved_documents": [[Document(content="x")], None]}
    data["ground_truth_documents"] = [[Document(content="x")]] * 2
    with pytest.raises(ComponentError, match=r"retrieved_documents of item 'b' \(entry 2 of the data\)"):
        evaluate([DocumentMRREvaluator()], data)
