"""The laws: what reports, slices, intervals, shards, files and pipelines rely on."""

import asyncio
import copy
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from thresher.counted import counted
from thresher.errors import InputError
from thresher.results import MetricResult
from thresher.testing import serialization_laws
from thresher.testing.requirements import equal, measure_names, require, require_same, require_value
from thresher.testing.subject import Columns, Subject


def _outputs(subject: Subject) -> None:
    out = subject.run()
    require(
        isinstance(out, Mapping),
        f"run returns {type(out).__name__} instead of a dict; end it with `return outputs(result)`, or "
        "decorate it with @judged if it returns a JudgeJob",
    )
    lacking = {"score", "individual_scores", "result"} - out.keys()
    require(not lacking, f"run does not return {', '.join(sorted(lacking))}")
    require(type(out["score"]) is float, f"score is {type(out['score']).__name__} instead of float")
    scores = out["individual_scores"]
    require(
        [type(score) for score in scores] == [float] * subject.size,
        f"individual_scores is not a list of {counted(subject.size, 'float')}, one per item",
    )
    require(equal(out["score"], out["result"].score), "score is not the score of the result")


def _unchanged(subject: Subject) -> None:
    inputs = copy.deepcopy(dict(subject.inputs))
    subject.metric.run(**inputs)
    for socket, entries in inputs.items():
        require(_alike(entries, subject.inputs[socket]), f"run changes {socket}; change a copy")


def _alike(entries: Any, others: Any) -> bool:
    try:
        np.testing.assert_equal(entries, others)  # compares nested lists, arrays and NaN, as `==` does not
    except AssertionError:
        return False
    return True


def _repeatable(subject: Subject) -> None:
    first, second = subject.result(), subject.result()
    for name in measure_names(first):
        same = equal(first.value(name), second.value(name))
        same = same and equal(first.item_scores(name), second.item_scores(name))
        require(
            same, f"two runs differ in {name}; seed what is random, and keep nothing from one run to the next"
        )


def _scored(subject: Subject) -> None:
    result = subject.result()
    first = next(iter(result.reasons.values()), "no reason")
    require(
        result.n_scored == subject.size,
        f"{result.n_scored} of {counted(subject.size, 'item')} are scored: {first}; give items that all get "
        "a score",
    )
    for measure in result.measures:
        if measure.item_score is not None:
            known = ~np.isnan(result.item_scores(measure.name))
            require(known.all(), f"{measure.name} has no value for an item with the status scored")


def _empty(subject: Subject) -> None:
    out = subject.run([])
    require(np.isnan(out["score"]), f"without items the score is {out['score']:g} instead of NaN")
    require(out["individual_scores"] == [], "without items there are individual_scores")


def _lengths(subject: Subject) -> None:
    if len(subject.inputs) > 1:
        *_, last = subject.inputs
        shorter = {**subject.inputs, last: list(subject.inputs[last])[:-1]}
        message = _refused(subject, shorter, "inputs of unequal length")
        require(last in message, f"the message for inputs of unequal length does not name {last}: {message}")


def _lists(subject: Subject) -> None:
    _refused(subject, dict.fromkeys(subject.inputs, "text"), "a text instead of a list")


def _refused(subject: Subject, inputs: Columns, what: str) -> str:
    try:
        subject.metric.run(**inputs)
    except InputError as error:
        message = str(error)
    else:
        raise AssertionError(f"{what} is accepted; raise an InputError (Items does)")
    require("\n" not in message, f"the message for {what} has several lines")
    return message


def _order(subject: Subject) -> None:
    order = [2, 0, 3, 1, *range(4, subject.size)]
    straight, turned = subject.run(), subject.run(order)
    scores = np.array(straight["individual_scores"])[order]
    require(equal(turned["individual_scores"], scores), "scores of items depend on the order of the items")
    for name in measure_names(straight["result"]):
        require_value(turned["result"].value(name), straight["result"].value(name), name, "in another order")


def _bounds(subject: Subject) -> None:
    result = subject.result()
    for measure in result.measures:
        low, high = measure.bounds
        for value in (result.value(measure.name), *result.item_scores(measure.name).tolist()):
            inside = np.isnan(value) or low <= value <= high
            require(inside, f"{measure.name} has the value {value:g}, outside its bounds {low:g} to {high:g}")


def _missing(subject: Subject) -> None:
    inputs = {socket: list(entries) for socket, entries in subject.inputs.items()}
    for entries in inputs.values():
        entries[1] = None
    gap = subject.metric.run(**inputs)["result"]
    require(
        gap.n_scored == subject.size - 1,
        f"with one item None, {counted(gap.n_scored, 'item is', 'items are')} scored",
    )
    require(1 in gap.reasons, "an item whose inputs are None has no reason")
    require(np.isnan(gap.item_scores()[1]), "an item whose inputs are None has a score")
    rest = [item for item in range(subject.size) if item != 1]
    require_same(gap.take(rest), subject.result().take(rest), "a run with one missing item")


def _signature(subject: Subject) -> None:
    for option, value in subject.changes.items():
        others = dict(subject.together.get(option, {}))
        before = subject.result(**others).measures[0].signature
        after = subject.result(**others, **{option: value}).measures[0].signature
        if before == after and repr(value) == repr(getattr(subject.made(**others), option, None)):
            raise AssertionError(
                f"{option}={value!r} is the option's value without the change; give another value"
            )
        require(before != after, f"{option}={value!r} does not change the signature {before}")


def _async(subject: Subject) -> None:
    if hasattr(subject.metric, "run_async"):
        out = asyncio.run(subject.metric.run_async(**subject.inputs))
        require_same(out["result"], subject.result(), "run_async")


def _shards(subject: Subject) -> None:
    parts = [subject.result(items) for items in ([0], [1, 2], range(3, subject.size), [])]
    require_same(MetricResult.concatenate(parts), subject.result(), "a run in four shards")


def _slices(subject: Subject) -> None:
    whole, part = subject.result(), subject.result([0, 2])
    weights = [1.0, 0.0, 1.0, *[0.0] * (subject.size - 3)]
    for name in measure_names(whole):
        require_value(whole.value(name, weights), part.value(name), name, "for a slice of items 0 and 2")


def _intervals(subject: Subject) -> None:
    whole, drawn = subject.result(), subject.result([0, 0, 2])
    weights = np.array([2.0, 0.0, 1.0, *[0.0] * (subject.size - 3)])
    for measure in whole.measures:
        expected = drawn.value(measure.name)
        once = whole.value(measure.name, weights)
        require_value(once, expected, measure.name, "when item 0 is drawn twice")
        many = float(measure.reduction.many(whole.statistics, weights[None])[0])
        require_value(many, expected, measure.name, "from reduction.many, with item 0 drawn twice")


def _name(subject: Subject) -> None:
    names = measure_names(subject.result(name="mine"))
    require(all(name.startswith("mine") for name in names), f"name='mine' gives the measures {names}")
    require(len({*names}) == len(names), f"two measures have one name: {names}")


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
    "copies": serialization_laws.copies,
    "storage": serialization_laws.storage,
    "columns": serialization_laws.columns,
    "name": _name,
    "options": serialization_laws.options,
    "yaml": serialization_laws.yaml,
}
"""Name of a law -> its check, in the order of the checks."""
FIRST = ("outputs", "unchanged", "repeatable", "scored", "order", "options")
"""Preconditions of the other laws: if one fails, the failures of other laws would only follow from it."""
