"""The laws: what reports, slices, intervals, shards, files and pipelines rely on."""

import asyncio
import copy
import json
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from haystack import Pipeline
from haystack.core.serialization import component_from_dict, component_to_dict

from thresher.errors import InputError
from thresher.plugins import top_package
from thresher.results import FrozenColumn, MetricResult
from thresher.results.storage import describe, from_arrow, from_dict, to_arrow, to_dict
from thresher.testing.subject import Columns, Subject

_PRECISION = 1e-12


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


def _outputs(subject: Subject) -> None:
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


def _unchanged(subject: Subject) -> None:
    given = copy.deepcopy(dict(subject.inputs))
    subject.metric.run(**given)
    for socket, entries in given.items():
        _require(_alike(entries, subject.inputs[socket]), f"run changes {socket}; change a copy")


def _alike(entries: Any, others: Any) -> bool:
    try:
        np.testing.assert_equal(entries, others)  # compares nested lists, arrays and NaN, as `==` does not
    except AssertionError:
        return False
    return True


def _repeatable(subject: Subject) -> None:
    first, second = subject.result(), subject.result()
    for name in _names(first):
        same = _equal(first.value(name), second.value(name))
        same = same and _equal(first.item_scores(name), second.item_scores(name))
        _require(
            same, f"two runs differ in {name}; seed what is random, and keep nothing from one run to the next"
        )


def _scored(subject: Subject) -> None:
    result = subject.result()
    first = next(iter(result.reasons.values()), "no reason")
    _require(
        result.n_scored == subject.size,
        f"{result.n_scored} of {subject.size} items are scored: {first}; give items that all get a score",
    )
    for measure in result.measures:
        if measure.item_score is not None:
            known = ~np.isnan(result.item_scores(measure.name))
            _require(known.all(), f"{measure.name} has no value for an item with the status scored")


def _empty(subject: Subject) -> None:
    out = subject.run([])
    _require(np.isnan(out["score"]), f"without items the score is {out['score']:g} instead of NaN")
    _require(out["individual_scores"] == [], "without items there are individual_scores")


def _lengths(subject: Subject) -> None:
    if len(subject.inputs) > 1:
        *_, last = subject.inputs
        shorter = {**subject.inputs, last: list(subject.inputs[last])[:-1]}
        message = _refused(subject, shorter, "inputs of unequal length")
        _require(last in message, f"the message for inputs of unequal length does not name {last}: {message}")


def _lists(subject: Subject) -> None:
    _refused(subject, dict.fromkeys(subject.inputs, "text"), "a text instead of a list")


def _refused(subject: Subject, inputs: Columns, what: str) -> str:
    try:
        subject.metric.run(**inputs)
    except InputError as error:
        message = str(error)
    else:
        raise AssertionError(f"{what} is accepted; raise an InputError (Items does)")
    _require("\n" not in message, f"the message for {what} has several lines")
    return message


def _order(subject: Subject) -> None:
    order = [2, 0, 3, 1, *range(4, subject.size)]
    straight, turned = subject.run(), subject.run(order)
    scores = np.array(straight["individual_scores"])[order]
    _require(_equal(turned["individual_scores"], scores), "scores of items depend on the order of the items")
    for name in _names(straight["result"]):
        _require_value(turned["result"].value(name), straight["result"].value(name), name, "in another order")


def _bounds(subject: Subject) -> None:
    result = subject.result()
    for measure in result.measures:
        low, high = measure.bounds
        for value in (result.value(measure.name), *result.item_scores(measure.name).tolist()):
            inside = np.isnan(value) or low <= value <= high
            _require(
                inside, f"{measure.name} has the value {value:g}, outside its bounds {low:g} to {high:g}"
            )


def _missing(subject: Subject) -> None:
    inputs = {socket: list(entries) for socket, entries in subject.inputs.items()}
    for entries in inputs.values():
        entries[1] = None
    gap = subject.metric.run(**inputs)["result"]
    _require(gap.n_scored == subject.size - 1, f"with one item None, {gap.n_scored} items are scored")
    _require(1 in gap.reasons, "an item whose inputs are None has no reason")
    _require(np.isnan(gap.item_scores()[1]), "an item whose inputs are None has a score")
    rest = [item for item in range(subject.size) if item != 1]
    _require_same(gap.take(rest), subject.result().take(rest), "a run with one missing item")


def _signature(subject: Subject) -> None:
    for option, value in subject.changes.items():
        others = dict(subject.together.get(option, {}))
        before = subject.result(**others).measures[0].signature
        after = subject.result(**others, **{option: value}).measures[0].signature
        if before == after and repr(value) == repr(getattr(subject.made(**others), option, None)):
            raise AssertionError(f"{option}={value!r} is its value without the change; give another one")
        _require(before != after, f"{option}={value!r} does not change the signature {before}")


def _async(subject: Subject) -> None:
    if hasattr(subject.metric, "run_async"):
        out = asyncio.run(subject.metric.run_async(**subject.inputs))
        _require_same(out["result"], subject.result(), "run_async")


def _shards(subject: Subject) -> None:
    parts = [subject.result(items) for items in ([0], [1, 2], range(3, subject.size), [])]
    _require_same(MetricResult.concatenate(parts), subject.result(), "a run in four shards")


def _slices(subject: Subject) -> None:
    whole, part = subject.result(), subject.result([0, 2])
    weights = [1.0, 0.0, 1.0, *[0.0] * (subject.size - 3)]
    for name in _names(whole):
        _require_value(whole.value(name, weights), part.value(name), name, "for a slice of items 0 and 2")


def _intervals(subject: Subject) -> None:
    whole, drawn = subject.result(), subject.result([0, 0, 2])
    weights = np.array([2.0, 0.0, 1.0, *[0.0] * (subject.size - 3)])
    for measure in whole.measures:
        expected = drawn.value(measure.name)
        once = whole.value(measure.name, weights)
        _require_value(once, expected, measure.name, "when item 0 is drawn twice")
        many = float(measure.reduction.many(whole.statistics, weights[None])[0])
        _require_value(many, expected, measure.name, "from reduction.many, with item 0 drawn twice")


def _copies(subject: Subject) -> None:
    for what, again in (
        ("after pickle", pickle.loads(pickle.dumps(subject.metric))),  # noqa: S301  # its own bytes
        ("after deepcopy", copy.deepcopy(subject.metric)),
    ):
        _require_same(again.run(**subject.inputs)["result"], subject.result(), f"the metric {what}")


def _storage(subject: Subject) -> None:
    import pyarrow as pa

    result = subject.result()
    plain = json.loads(json.dumps(to_dict(result), allow_nan=False))
    _require_same(from_dict(plain), result, "the result after JSON")
    _require_same(pickle.loads(pickle.dumps(result)), result, "the result after pickle")  # noqa: S301
    columns = {key: pa.chunked_array([column]) for key, column in to_arrow(result).items()}
    stored = json.loads(json.dumps(describe(result)))
    _require_same(from_arrow(stored, columns), result, "the result after Arrow")


def _columns(subject: Subject) -> None:
    frozen = {socket: FrozenColumn(entries) for socket, entries in subject.inputs.items()}
    _require_same(subject.metric.run(**frozen)["result"], subject.result(), "a run on columns of a data set")


def _name(subject: Subject) -> None:
    names = _names(subject.result(name="mine"))
    _require(all(name.startswith("mine") for name in names), f"name='mine' gives the measures {names}")
    _require(len({*names}) == len(names), f"two measures have one name: {names}")


def _options(subject: Subject) -> None:
    for option, changed in (("", None), *subject.changes.items()):
        others = dict(subject.together.get(option, {}))
        part = subject.made(**others, **({option: changed} if option else {}))
        for name, value in part.to_dict()["init_parameters"].items() if hasattr(part, "to_dict") else ():
            _require(
                _is_plain(value),
                f"pipeline files cannot store the {type(value).__name__} in the option {name}; use numbers, "
                "texts, lists and dicts, or an object with `to_dict`",
            )
        stored = component_to_dict(part, subject.name)
        loaded = component_from_dict(type(part), stored, subject.name)
        same = _pipeline(loaded).dumps() == _pipeline(part).dumps()
        _require(same, f"options differ after to_dict and from_dict: {option or 'defaults'}")


def _is_plain(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_is_plain(entry) for entry in value.values())
    if isinstance(value, list):
        return all(_is_plain(entry) for entry in value)
    return value is None or isinstance(value, str | int | float)


def _yaml(subject: Subject) -> None:
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


LAWS: Mapping[str, Callable[[Subject], None]] = {
    "outputs": _outputs,
    "unchanged": _unchanged,
    "repeatable": _repeatable,
    "scored": _scored,
    "order": _order,
    "empty": _empty,
    "lengths": _lengths,
    "lists": _lists,
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
"""Name of a law -> its check, in the order of the checks."""
FIRST = ("outputs", "unchanged", "repeatable", "scored", "order", "options")
"""Laws without which others cannot hold: after one of them has failed, further failures would only follow."""
