"""`check_metric`: what holds for every metric, whatever it measures. Needs no test framework."""

import asyncio
import copy
import inspect
import json
import pickle
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np
from haystack import Pipeline
from haystack.core.serialization import component_from_dict, component_to_dict

from thresher.errors import InputError
from thresher.judges import estimating
from thresher.plugins import top_package
from thresher.results import FrozenColumn, MetricResult
from thresher.results.storage import describe, from_arrow, from_dict, to_arrow, to_dict

__all__ = ["check_metric"]

_FEWEST = 4
_PRECISION = 1e-12
Columns = Mapping[str, Sequence[Any]]


def check_metric(
    metric: Any,
    inputs: Columns,
    *,
    changes: Mapping[str, Any] | None = None,
    together: Mapping[str, Mapping[str, Any]] | None = None,
    laws: Sequence[str] | None = None,
    raise_on_failure: bool = True,
) -> list[str]:
    """Check that reports, slices, intervals, shards, files and pipelines can rely on a metric.

    A judged metric without a `chat_generator` gets imagined replies, without a model or a key.

    Args:
        metric: the component, or what makes one from options: its class, or a `functools.partial` of it.
        inputs: input of `run` -> entries of at least four items, all of which get a score.
        changes: option -> another value that changes the number, and so must change the signature.
        together: option -> further options that its change needs to have an effect.
        laws: names of the laws to check; default: all.
        raise_on_failure: whether to raise instead of returning the failures.

    Returns:
        One sentence for each law that does not hold: metric, law, and what happened.

    Raises:
        AssertionError: with these sentences, if `raise_on_failure`.
        InputError: for inputs or laws that cannot be used.

    >>> from thresher.components import ExactMatchEvaluator
    >>> answers = {"predicted_answers": [*"abcd"], "ground_truth_answers": [*"abxy"]}
    >>> check_metric(ExactMatchEvaluator(), answers, changes={"normalization": "none"})
    []
    """
    unknown = [law for law in laws or () if law not in LAWS]
    if unknown:
        raise InputError(f"there is no law {unknown[0]!r}; there are {', '.join(LAWS)}")
    subject = _Subject(metric, inputs, changes or {}, together or {})
    judged = getattr(subject.metric, "chat_generator", 0) is None
    with estimating() if judged else nullcontext():
        checked = [_failure(subject, law) for law in laws or LAWS]
    failures = [sentence for sentence in checked if sentence]
    if failures and raise_on_failure:
        raise AssertionError("\n".join(failures))
    return failures


class _Subject:
    """The metric under test with its inputs."""

    def __init__(
        self, metric: Any, inputs: Columns, changes: Mapping[str, Any], together: Mapping[str, Any]
    ) -> None:
        sizes = {socket: len(entries) for socket, entries in inputs.items()}
        if not sizes or len({*sizes.values()}) > 1 or min(sizes.values()) < _FEWEST:
            raise InputError(f"inputs must have {_FEWEST} items or more, as many in each; got {sizes}")
        self.make = metric if isinstance(metric, type | partial) else None
        self.metric = metric if self.make is None else self.make()
        self.inputs, self.changes, self.together = inputs, changes, together
        self.size = min(sizes.values())
        self.name = getattr(self.metric, "name", "") or type(self.metric).__name__

    def run(self, items: Sequence[int] | None = None, /, **options: Any) -> dict[str, Any]:
        """The outputs for some items, with some other options."""
        return self.made(**options).run(**self.inputs if items is None else self.picked(items))  # type: ignore[no-any-return]

    def result(self, items: Sequence[int] | None = None, /, **options: Any) -> MetricResult:
        """The result of `run`."""
        return self.run(items, **options)["result"]  # type: ignore[no-any-return]

    def made(self, **options: Any) -> Any:
        """The metric, or another one that differs in some options."""
        if not options:
            return self.metric
        if self.make is not None:
            return self.make(**options)
        parameters = [*inspect.signature(type(self.metric).__init__).parameters][1:]
        own = {option: getattr(self.metric, option) for option in parameters if hasattr(self.metric, option)}
        return type(self.metric)(**(own | options))

    def picked(self, items: Sequence[int]) -> dict[str, list[Any]]:
        """The inputs of some items."""
        return {socket: [entries[item] for item in items] for socket, entries in self.inputs.items()}


def _failure(subject: _Subject, law: str) -> str:
    try:
        LAWS[law](subject)
    except Exception as error:  # noqa: BLE001  # a law finds out what a metric does, and it may do anything
        words = " ".join(str(error).split())
        kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
        return f"{subject.name}: {law}: {kind}{words}"
    return ""


def _require(holds: Any, sentence: str) -> None:
    if not holds:
        raise AssertionError(sentence)


def _equal(actual: Any, expected: Any, precision: float = 0.0) -> bool:
    return bool(np.allclose(actual, expected, rtol=precision, atol=0.0, equal_nan=True))


def _require_same(actual: MetricResult, expected: MetricResult, what: str) -> None:
    """Require two equal results; the sentence names the first difference."""
    _require(actual.measures == expected.measures, f"{what} has other measures, or other settings of them")
    for name in (measure.name for measure in expected.measures):
        values = actual.value(name), expected.value(name)
        _require(_equal(*values), f"{what} gives {values[0]:g} for {name} instead of {values[1]:g}")
    _require(actual.status.tolist() == expected.status.tolist(), f"{what} has other statuses")
    _require(
        to_dict(actual) == to_dict(expected), f"{what} has other statistics, reasons, evidence or breakdowns"
    )


def _outputs(subject: _Subject) -> None:
    out = subject.run()
    lacking = {"score", "individual_scores", "result"} - out.keys()
    _require(not lacking, f"run does not return {', '.join(sorted(lacking))}")
    _require(type(out["score"]) is float, f"score is {type(out['score']).__name__} instead of float")
    scores = out["individual_scores"]
    _require(
        [type(score) for score in scores] == [float] * subject.size,
        f"individual_scores is not a list of {subject.size} floats, one per item",
    )
    _require(_equal(out["score"], out["result"].score), "score is not the score of the result")


def _scored(subject: _Subject) -> None:
    result = subject.result()
    first = next(iter(result.reasons.values()), "no reason")
    _require(
        result.n_scored == subject.size, f"{result.n_scored} of {subject.size} items are scored: {first}"
    )
    for measure in result.measures:
        if measure.item_score is not None:
            known = ~np.isnan(result.item_scores(measure.name))
            _require(known.all(), f"{measure.name} has no value for an item with the status scored")


def _empty(subject: _Subject) -> None:
    out = subject.run([])
    _require(np.isnan(out["score"]), f"without items the score is {out['score']:g} instead of NaN")
    _require(out["individual_scores"] == [], "without items there are individual_scores")


def _lengths(subject: _Subject) -> None:
    if len(subject.inputs) > 1:
        *_, last = subject.inputs
        shorter = {**subject.inputs, last: list(subject.inputs[last])[:-1]}
        message = _refused(subject, shorter, "inputs of unequal length")
        _require(last in message, f"the message for inputs of unequal length does not name {last}: {message}")


def _lists(subject: _Subject) -> None:
    _refused(subject, dict.fromkeys(subject.inputs, "text"), "a text instead of a list")


def _refused(subject: _Subject, inputs: Columns, what: str) -> str:
    try:
        subject.metric.run(**inputs)
    except InputError as error:
        message = str(error)
    else:
        raise AssertionError(f"{what} is accepted; raise an InputError (Items does)")
    _require("\n" not in message, f"the message for {what} has several lines")
    return message


def _order(subject: _Subject) -> None:
    order = [2, 0, 3, 1, *range(4, subject.size)]
    straight, turned = subject.run(), subject.run(order)
    scores = np.array(straight["individual_scores"])[order]
    _require(_equal(turned["individual_scores"], scores), "scores of items depend on the order of the items")
    for name in _names(straight["result"]):
        _require_value(turned["result"].value(name), straight["result"].value(name), name, "in another order")


def _bounds(subject: _Subject) -> None:
    result = subject.result()
    for measure in result.measures:
        low, high = measure.bounds
        for value in (result.value(measure.name), *result.item_scores(measure.name).tolist()):
            inside = np.isnan(value) or low <= value <= high
            _require(
                inside, f"{measure.name} has the value {value:g}, outside its bounds {low:g} to {high:g}"
            )


def _missing(subject: _Subject) -> None:
    inputs = {socket: list(entries) for socket, entries in subject.inputs.items()}
    for entries in inputs.values():
        entries[1] = None
    gap = subject.metric.run(**inputs)["result"]
    _require(gap.n_scored == subject.size - 1, f"with one item None, {gap.n_scored} items are scored")
    _require(1 in gap.reasons, "an item whose inputs are None has no reason")
    _require(np.isnan(gap.item_scores()[1]), "an item whose inputs are None has a score")
    rest = [item for item in range(subject.size) if item != 1]
    _require_same(gap.take(rest), subject.result().take(rest), "a run with one missing item")


def _signature(subject: _Subject) -> None:
    for option, value in subject.changes.items():
        others = dict(subject.together.get(option, {}))
        before = subject.result(**others).measures[0].signature
        after = subject.result(**others, **{option: value}).measures[0].signature
        _require(before != after, f"{option}={value!r} does not change the signature {before}")


def _async(subject: _Subject) -> None:
    if hasattr(subject.metric, "run_async"):
        out = asyncio.run(subject.metric.run_async(**subject.inputs))
        _require_same(out["result"], subject.result(), "run_async")


def _shards(subject: _Subject) -> None:
    parts = [subject.result(items) for items in ([0], [1, 2], range(3, subject.size), [])]
    _require_same(MetricResult.concatenate(parts), subject.result(), "a run in four shards")


def _slices(subject: _Subject) -> None:
    whole, part = subject.result(), subject.result([0, 2])
    weights = [1.0, 0.0, 1.0, *[0.0] * (subject.size - 3)]
    for name in _names(whole):
        _require_value(whole.value(name, weights), part.value(name), name, "for a slice of items 0 and 2")


def _intervals(subject: _Subject) -> None:
    whole, drawn = subject.result(), subject.result([0, 0, 2])
    weights = np.array([2.0, 0.0, 1.0, *[0.0] * (subject.size - 3)])
    for measure in whole.measures:
        expected = drawn.value(measure.name)
        once = whole.value(measure.name, weights)
        _require_value(once, expected, measure.name, "when item 0 is drawn twice")
        many = float(measure.reduction.many(whole.statistics, weights[None])[0])
        _require_value(many, expected, measure.name, "from reduction.many, with item 0 drawn twice")


def _copies(subject: _Subject) -> None:
    for what, again in (
        ("after pickle", pickle.loads(pickle.dumps(subject.metric))),  # noqa: S301  # its own bytes
        ("after deepcopy", copy.deepcopy(subject.metric)),
    ):
        _require_same(again.run(**subject.inputs)["result"], subject.result(), f"the metric {what}")


def _storage(subject: _Subject) -> None:
    import pyarrow as pa

    result = subject.result()
    plain = json.loads(json.dumps(to_dict(result), allow_nan=False))
    _require_same(from_dict(plain), result, "the result after JSON")
    _require_same(pickle.loads(pickle.dumps(result)), result, "the result after pickle")  # noqa: S301
    columns = {key: pa.chunked_array([column]) for key, column in to_arrow(result).items()}
    stored = json.loads(json.dumps(describe(result)))
    _require_same(from_arrow(stored, columns), result, "the result after Arrow")


def _columns(subject: _Subject) -> None:
    before = copy.deepcopy(dict(subject.inputs))
    frozen = {socket: FrozenColumn(entries) for socket, entries in before.items()}
    _require_same(subject.metric.run(**frozen)["result"], subject.result(), "a run on columns of a data set")
    _require(before == dict(subject.inputs), "run changes its inputs")


def _name(subject: _Subject) -> None:
    names = _names(subject.result(name="mine"))
    _require(all(name.startswith("mine") for name in names), f"name='mine' gives the measures {names}")
    _require(len({*names}) == len(names), f"two measures have one name: {names}")


def _options(subject: _Subject) -> None:
    for option, value in (("", None), *subject.changes.items()):
        others = dict(subject.together.get(option, {}))
        part = subject.made(**others, **({option: value} if option else {}))
        stored = component_to_dict(part, subject.name)
        loaded = component_from_dict(type(part), stored, subject.name)
        same = _pipeline(loaded).dumps() == _pipeline(part).dumps()
        _require(same, f"options differ after to_dict and from_dict: {option or 'defaults'}")


def _yaml(subject: _Subject) -> None:
    pipeline = _pipeline(subject.metric)
    allowed = ["thresher", top_package(type(subject.metric).__module__)]
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=allowed)
    _require(again.dumps() == pipeline.dumps(), "a pipeline's YAML differs after it was loaded")
    out = again.run({"metric": dict(subject.inputs)})["metric"]
    _require_same(out["result"], subject.result(), "the metric loaded from YAML")


def _pipeline(part: Any) -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("metric", copy.deepcopy(part))
    return pipeline


def _names(result: MetricResult) -> list[str]:
    return [measure.name for measure in result.measures]


def _require_value(actual: float, expected: float, name: str, where: str) -> None:
    same = _equal(actual, expected, _PRECISION)
    _require(same, f"{name} is {actual:g} {where}, but {expected:g} computed from these items")


LAWS: Mapping[str, Callable[[_Subject], None]] = {
    "outputs": _outputs,
    "scored": _scored,
    "empty": _empty,
    "lengths": _lengths,
    "lists": _lists,
    "order": _order,
    "bounds": _bounds,
    "missing": _missing,
    "signature": _signature,
    "async": _async,
    "shards": _shards,
    "slices": _slices,
    "intervals": _intervals,
    "copies": _copies,
    "storage": _storage,
    "columns": _columns,
    "name": _name,
    "options": _options,
    "yaml": _yaml,
}
"""Name of a law -> its check."""
