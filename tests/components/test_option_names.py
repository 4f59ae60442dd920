"""The same choice has the same option name and the same values in every metric."""

import inspect
from typing import Literal, get_args, get_type_hints

import pytest

from thresher.components import metric_class, metric_names
from thresher.metrics import Undefined

CONDITIONS = {"no_contexts", "no_references", "no_answer", "neither"}
"""Further conditions without a defined score, of metrics that use `undefined` for a different condition."""
CHOICES = {
    "undefined": set(get_args(Undefined)),
    **{key: set(get_args(Undefined)) for key in CONDITIONS},
    "average": {"macro", "micro", "weighted", "samples"},
    "convention": {"nltk", "sacrebleu", "sum", "half"},
    "direction": {"higher", "lower"},
    "extract": {"whole", "fence", "first"},
    "distance": {
        *("levenshtein", "indel", "osa", "damerau_levenshtein"),
        *("hamming", "jaro", "jaro_winkler"),
        *("equal", "linear", "quadratic"),  # of grades, not of texts
    },
    "integration": {"101", "11", "area"},
    "matching": {"valor", "valor-code", "coco", "voc"},
    "normalization": {"squad", "unicode", "none"},
    "one_invalid": {"other", "unreadable"},
    "order": {"any", "exact", "ordered", "positions"},
    "references": {"any", "max", "mean"},
    "reply_format": {"json", "judgelm", "prometheus"},
    "text": {"exact", "casefold", "strip"},
    "ties": {"input-order", "trec", "stable-score", "listed", "random"},
    "tokenizer": {"characters", "valor", "13a", "whitespace", "unicode", "rouge-score"},
    "turns": {"all", "last"},
    "unlabelled": {"ignore", "negative"},
    "unnormalised": {"error", "ignore"},
}
"""Values of the options with a closed set that several metrics share; each metric allows some of them."""
NAMES = {
    "threshold": {"threshold", "thresholds", "iou_threshold", "iou_thresholds", "background_threshold"},
    "example": {"max_examples"},
    "rubric": {"rubric"},
    "case": {"lowercase"},
    "punct": {"ignore_punctuation"},
    "sampl": {"samples"},
    "order": {"both_orders", "char_order", "order", "word_order"},
    "undefined": {"undefined"},
    "zero": set(),
    "empty": set(),
}
"""Part of a name -> the options that may have it."""


def faults(kinds):
    """What is wrong with the names and values of the options of one metric."""
    for option, kind in kinds.items():
        values = {value for value in get_args(kind) if isinstance(value, str)}
        for part, allowed in NAMES.items():
            if part in option and option not in allowed | {"iou_thresholds_to_return"}:
                yield f"{option} is another name for one of {sorted(allowed)}"
        if values & CHOICES["undefined"] and option not in {"undefined", *CONDITIONS}:
            yield f"{option} chooses the score of an undefined item; call it undefined"
        if values - CHOICES.get(option, values):
            yield f"{option} has the values {sorted(values - CHOICES[option])} in addition"
    if CONDITIONS & kinds.keys() and "undefined" not in kinds:
        yield f"{sorted(CONDITIONS & kinds.keys())} but not undefined"


def kinds_of(cls):
    hints = get_type_hints(cls)
    return {option: hints[option] for option in inspect.signature(cls).parameters}


@pytest.mark.parametrize("metric", metric_names())
def test_a_choice_has_one_name_and_one_set_of_values(metric):
    assert list(faults(kinds_of(metric_class(metric)))) == []


def test_options_that_several_metrics_choose_from_are_listed():
    shared = {}
    for metric in metric_names():
        for option, kind in kinds_of(metric_class(metric)).items():
            if getattr(kind, "__origin__", None) is Literal:
                shared.setdefault(option, set()).add(metric)
    own = {"compat", "mode", "scale", "score"}  # their values come from each metric's origin
    assert {option for option, metrics in shared.items() if len(metrics) > 1} - own <= CHOICES.keys()


@pytest.mark.parametrize(
    ("kinds", "fault"),
    [
        ({"no_tokens": Literal["skip", "zero"]}, "no_tokens chooses the score of an undefined item"),
        ({"zero_division": float}, "another name"),
        ({"undefined": Literal["skip", "half"]}, "the values ['half'] in addition"),
        ({"no_contexts": Literal["skip", "zero"]}, "['no_contexts'] but not undefined"),
        ({"score_threshold": float}, "another name for one of"),
        ({"curve_max_examples": int}, "another name for one of ['max_examples']"),
        ({"rubrics": dict}, "another name for one of ['rubric']"),
        ({"references": Literal["best", "mean"]}, "the values ['best'] in addition"),
    ],
)
def test_a_second_name_or_value_is_a_fault(kinds, fault):
    assert any(fault in reported for reported in faults(kinds))
