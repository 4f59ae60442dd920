"""Every law is broken once on purpose, and has to notice it."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pytest
from haystack import component

from laws import cases, test_laws
from thresher.components.text.exact_match import ExactMatchEvaluator
from thresher.results import Mean, Measure, MetricResult, Signature, Statistics, Status

NAME = "exact_match"
LAWS = {law for law in vars(test_laws) if law.startswith("test_")}
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


def spoiling(self, predicted_answers: list[str], ground_truth_answers: list[str]):
    out = ExactMatchEvaluator.run(self, predicted_answers, ground_truth_answers)
    if isinstance(predicted_answers, list):
        return rescored(out, scores_of(out) + 1)
    return out


def flipping(self, ignore_case: bool = False, name: str = NAME):
    ExactMatchEvaluator.__init__(self, name=name)
    self.ignore_case = not ignore_case


def trusting(self, ignore_case: bool = False, name: str = NAME):
    ExactMatchEvaluator.__init__(self)
    self.ignore_case, self.name = ignore_case, name


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


def remembered_otherwise(self, protocol):
    return partial(ExactMatchEvaluator, normalization="none"), ()


def with_what_json_changes(self, out, predictions, references):
    return rescored(out, scores_of(out), evidence=[{"pair": (1, 2)}] * len(predictions))


MUTANTS: Mapping[str, type] = {
    "test_its_case_covers_every_option": broken(unchanged, __init__=with_one_more),
    "test_an_option_of_a_wrong_type_is_refused_by_name": broken(unchanged, __init__=trusting),
    "test_an_empty_name_is_refused": broken(unchanged, __init__=trusting),
    "test_options_survive_a_round_trip": broken(unchanged, __init__=flipping),
    "test_it_loads_from_yaml": component(broken(unchanged, run=ExactMatchEvaluator.run, __init__=flipping)),
    "test_its_sockets_are_words_of_the_vocabulary": broken(unchanged, run=other_socket),
    "test_its_outputs_are_the_three": broken(without_item_scores),
    "test_no_items_have_no_value": broken(of_an_empty_list),
    "test_unequal_lengths_are_named": broken(unchanged, run=shortening),
    "test_a_text_instead_of_a_list_is_refused": broken(unchanged, run=spelling),
    "test_the_order_of_items_changes_no_value": broken(by_place),
    "test_values_keep_within_their_bounds": broken(far_too_high),
    "test_every_item_of_the_case_is_scored": broken(without_the_first),
    "test_an_item_without_input_changes_no_other": broken(by_its_neighbours),
    "test_every_option_that_changes_the_number_changes_the_signature": broken(
        with_measure(signature=Signature.of(NAME, {}))
    ),
    "test_run_and_run_async_are_one": broken(unchanged, run_async=in_a_hurry),
    "test_shards_together_are_the_whole": broken(by_size),
    "test_a_slice_is_the_value_of_its_items": broken(with_measure(reduction=Careless())),
    "test_drawn_twice_counts_twice": broken(with_measure(reduction=Careless())),
    "test_a_component_survives_pickle_and_deepcopy": broken(unchanged, __reduce_ex__=remembered_otherwise),
    "test_results_survive_json_pickle_and_arrow": broken(with_what_json_changes),
    "test_columns_and_lists_are_alike_and_stay_as_they_are": broken(unchanged, run=spoiling),
    "test_another_name_is_the_name_of_its_measures": broken(with_measure(signature=Signature.of(NAME, {}))),
    "test_its_docstring_tells_formula_and_source": broken(unchanged, __doc__="Scores."),
}
"""Law -> an evaluator that breaks it."""

Broken = MUTANTS["test_it_loads_from_yaml"]  # YAML finds a class by the name it has in its module


def test_every_law_has_an_evaluator_that_breaks_it():
    assert set(MUTANTS) == LAWS - {"test_every_component_has_a_case_and_every_case_a_component"}


@pytest.mark.parametrize("law", sorted(MUTANTS))
def test_a_law_that_is_broken_is_noticed(monkeypatch, law):
    mutant = MUTANTS[law]
    monkeypatch.setattr(test_laws, "made", lambda *_, **options: mutant(**options))
    monkeypatch.setattr(test_laws, "metric_class", lambda _: mutant)
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "thresher,laws")
    with pytest.raises(NOTICED):
        getattr(test_laws, law)(NAME)


def test_a_component_without_a_case_is_noticed(monkeypatch):
    monkeypatch.setattr(test_laws, "metric_names", lambda: [*sorted(cases.CASES), "zzz"])
    with pytest.raises(AssertionError):
        test_laws.test_every_component_has_a_case_and_every_case_a_component()
