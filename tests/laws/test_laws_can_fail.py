"""Every law is broken once on purpose, and has to notice it."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pytest
from haystack import component

from laws import cases, test_laws
from thresher.components.text.exact_match import ExactMatchEvaluator
from thresher.metrics import ReferenceColumn, TextColumn
from thresher.results import Mean, Measure, MetricResult, Signature, Statistics, Status
from thresher.testing import LAWS, check_metric

NAME = "exact_match"
HOUSE_LAWS = {law for law in vars(test_laws) if law.startswith("test_")}
NOTICED = (AssertionError, pytest.fail.Exception)


class Careless(Mean):
    """A mean that looks at no weights, though it is given some."""

    def __call__(self, statistics, weights):
        return super().__call__(statistics, np.ones(len(weights)))


def rescored(out, scores, measure=None, **changed):
    """The outputs with other scores."""
    old = out["result"]
    kept = {"status": old.status, "reasons": old.reasons, "evidence": old.evidence} | changed
    result = MetricResult(
        [measure or old.measures[0]], Statistics({"score": np.asarray(scores, float)}), **kept
    )
    return {"score": result.score, "individual_scores": result.item_scores().tolist(), "result": result}


def scores_of(out):
    return np.nan_to_num(out["result"].item_scores())


def broken(change, **members):
    """An evaluator whose outputs are changed by `change(self, outputs, predictions, references)`."""

    def run(self, predicted_answers: list[str], ground_truth_answers: list[str]):
        out = ExactMatchEvaluator.run(self, predicted_answers, ground_truth_answers)
        return change(self, out, predicted_answers, ground_truth_answers)

    return type(
        "Broken", (ExactMatchEvaluator,), {"run": run, "__module__": "laws.test_laws_can_fail", **members}
    )


def unchanged(self, out, predictions, references):
    return out


def with_measure(**options):
    """A change to the measure."""

    def change(self, out, predictions, references):
        signature = options.get("signature", out["result"].measures[0].signature)
        reduction = options.get("reduction", Mean())
        return rescored(out, scores_of(out), Measure(signature, reduction))

    return change


def shortening(self, predicted_answers: list[str], ground_truth_answers: list[str]):
    size = min(len(predicted_answers), len(ground_truth_answers))
    return ExactMatchEvaluator.run(self, predicted_answers[:size], ground_truth_answers[:size])


def spelling(self, predicted_answers: list[str], ground_truth_answers: list[str]):
    return ExactMatchEvaluator.run(self, list(predicted_answers), list(ground_truth_answers))


def other_socket(self, answers: list[str], ground_truth_answers: list[str]):
    return ExactMatchEvaluator.run(self, answers, ground_truth_answers)


def answering_for_it(self, predicted_answers: TextColumn, ground_truth_answers: ReferenceColumn):
    return ExactMatchEvaluator.run(self, [text or "" for text in predicted_answers], ground_truth_answers)


def spoiling(self, predicted_answers: list[str], ground_truth_answers: list[str]):
    out = ExactMatchEvaluator.run(self, predicted_answers, ground_truth_answers)
    if isinstance(predicted_answers, list):
        return rescored(out, scores_of(out) + 1)
    return out


def flipping(self, lowercase: bool = False, name: str = NAME):
    ExactMatchEvaluator.__init__(self, name=name)
    self.lowercase = not lowercase


def trusting(self, lowercase: bool = False, name: str = NAME):
    ExactMatchEvaluator.__init__(self)
    self.lowercase, self.name = lowercase, name


def with_one_more(self, one_more: bool = False, name: str = NAME):
    ExactMatchEvaluator.__init__(self, name=name)
    self.one_more = one_more


async def in_a_hurry(self, predicted_answers: list[str], ground_truth_answers: list[str]):
    out = ExactMatchEvaluator.run(self, predicted_answers, ground_truth_answers)
    return rescored(out, scores_of(out) + 1)


def of_an_empty_list(self, out, predictions, references):
    return out if len(predictions) else out | {"score": 0.0}


def without_item_scores(self, out, predictions, references):
    return {"score": out["score"], "result": out["result"]}


def far_too_high(self, out, predictions, references):
    return rescored(out, scores_of(out) + 5)


def by_place(self, out, predictions, references):
    return rescored(out, np.arange(len(predictions)))


def by_size(self, out, predictions, references):
    return rescored(out, scores_of(out) / max(1, len(predictions)) + len(predictions))


def by_its_neighbours(self, out, predictions, references):
    gaps = any(answer is None for answer in predictions)
    return rescored(out, scores_of(out) + gaps)


def without_the_first(self, out, predictions, references):
    status = out["result"].status.copy()
    status[:1] = Status.UNDEFINED
    return rescored(out, scores_of(out), status=status)


def sorting(self, predicted_answers: list[str], ground_truth_answers: list[str]):
    predicted_answers.sort()
    return ExactMatchEvaluator.run(self, predicted_answers, ground_truth_answers)


def by_its_runs(self, out, predictions, references):
    self.runs = getattr(self, "runs", 0) + 1
    return rescored(out, scores_of(out) / self.runs)


def remembered_otherwise(self, protocol):
    return partial(ExactMatchEvaluator, normalization="none"), ()


def with_what_json_changes(self, out, predictions, references):
    return rescored(out, scores_of(out), evidence=[{"pair": (1, 2)}] * len(predictions))


MUTANTS: Mapping[str, type] = {
    "test_its_case_covers_every_option": broken(unchanged, __init__=with_one_more),
    "test_an_option_of_a_wrong_type_is_refused_by_name": broken(unchanged, __init__=trusting),
    "test_an_empty_name_is_refused": broken(unchanged, __init__=trusting),
    "options": broken(unchanged, __init__=flipping),
    "yaml": component(broken(unchanged, run=ExactMatchEvaluator.run, __init__=flipping)),
    "test_its_sockets_are_words_of_the_vocabulary": broken(unchanged, run=other_socket),
    "outputs": broken(without_item_scores),
    "empty": broken(of_an_empty_list),
    "lengths": broken(unchanged, run=shortening),
    "lists": broken(unchanged, run=spelling),
    "unchanged": broken(unchanged, run=sorting),
    "repeatable": broken(by_its_runs),
    "order": broken(by_place),
    "bounds": broken(far_too_high),
    "scored": broken(without_the_first),
    "missing": broken(by_its_neighbours),
    "signature": broken(with_measure(signature=Signature.of(NAME, {}))),
    "async": broken(unchanged, run_async=in_a_hurry),
    "shards": broken(by_size),
    "slices": broken(with_measure(reduction=Careless())),
    "intervals": broken(with_measure(reduction=Careless())),
    "copies": broken(unchanged, __reduce_ex__=remembered_otherwise),
    "storage": broken(with_what_json_changes),
    "columns": broken(unchanged, run=spoiling),
    "name": broken(with_measure(signature=Signature.of(NAME, {}))),
    "test_any_entry_of_any_input_may_be_missing_in_a_pipeline": broken(unchanged, run=answering_for_it),
    "test_its_docstring_tells_formula_and_source": broken(unchanged, __doc__="Scores."),
    "test_what_depends_on_matching_names_its_rule_and_overlap": broken(with_measure(rule="")),
}
"""Law -> an evaluator that breaks it."""

Broken = MUTANTS["yaml"]  # YAML finds a class by the name it has in its module


def test_every_law_has_an_evaluator_that_breaks_it():
    others = {"test_every_component_has_a_case_and_every_case_a_component", "test_the_laws_hold"}
    assert set(MUTANTS) == HOUSE_LAWS - others | set(LAWS)


@pytest.mark.parametrize("law", LAWS)
def test_a_law_that_is_broken_is_reported_in_one_sentence(monkeypatch, law):
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "thresher,laws")
    case = cases.CASES[NAME]
    options = {"changes": case.changes if law == "signature" else {}, "laws": [law]}
    assert check_metric(ExactMatchEvaluator, case.inputs, **options) == []
    with pytest.raises(AssertionError) as caught:
        check_metric(MUTANTS[law], case.inputs, **options)
    assert str(caught.value).startswith(f"{NAME}: {law}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("law", sorted(MUTANTS.keys() - LAWS.keys()))
def test_a_law_of_this_package_that_is_broken_is_noticed(monkeypatch, law):
    mutant = MUTANTS[law]
    monkeypatch.setattr(test_laws, "made", lambda *_, **options: mutant(**options))
    monkeypatch.setattr(test_laws, "metric_class", lambda _: mutant)
    with pytest.raises(NOTICED):
        getattr(test_laws, law)(NAME)


def test_a_component_without_a_case_is_noticed(monkeypatch):
    monkeypatch.setattr(test_laws, "metric_names", lambda: [*sorted(cases.CASES), "zzz"])
    with pytest.raises(AssertionError):
        test_laws.test_every_component_has_a_case_and_every_case_a_component()
    with pytest.raises(LookupError, match=r"zzz has no case; add one to tests/laws/cases.py"):
        cases.CASES["zzz"]
