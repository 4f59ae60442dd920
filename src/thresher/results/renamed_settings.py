"""Settings of signatures that had another name or value before 0.2, so that stored runs stay comparable."""

from collections.abc import Iterable

_UNDEFINED = (
    "zero_division",
    "both_empty",
    "none_useful",
    "no_statements",
    "no_claims",
    "no_opinions",
    "no_relevant",
    "no_retrieved",
    "neither",
    "no_references",
    "no_contexts",
    "no_answer",
)
"""Former options for items without a defined score; the first that a metric had is its `undefined` now."""
_SCORES = {"undefined": "skip", "none": "skip", "0": "zero", "0.0": "zero", "1": "one", "1.0": "one"}
"""Their former values, as signatures print them."""
_NAMES = {
    "score_threshold": "threshold",
    "similarity_threshold": "threshold",
    "recall_score_threshold": "threshold",
    "pr_curve_iou_threshold": "iou_threshold",
    "pr_curve_max_examples": "max_examples",
    "rubrics": "rubric",
    "ignore_case": "lowercase",
    "no_punct": "ignore_punctuation",
    "strictness": "samples",
    "enforce_consensus": "both_orders",
}
"""Former name -> present name of other settings."""
_NEGATED = {"yes": "no", "no": "yes"}


def current_settings(settings: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the settings of a signature with their present names and values.

    A metric of another package may have a former name next to the present one; it keeps both.

    >>> current_settings([("no_contexts", "undefined"), ("none_useful", "zero")])
    {'no_contexts': 'skip', 'undefined': 'zero'}
    """
    stored = dict(settings)
    headline = next((old for old in _UNDEFINED if old in stored and "undefined" not in stored), "")
    current: dict[str, str] = {}
    for setting, value in stored.items():
        name, present_value = _current(setting, value, headline)
        if name != setting and (name in stored or name in current):
            name, present_value = setting, value
        current[name] = present_value
    return current


def _current(setting: str, value: str, headline: str) -> tuple[str, str]:
    if setting in _UNDEFINED or setting == "undefined":
        return ("undefined" if setting == headline else setting), _SCORES.get(value, value)
    if setting == "case_sensitive":
        return "lowercase", _NEGATED.get(value, value)
    return _NAMES.get(setting, setting), value
