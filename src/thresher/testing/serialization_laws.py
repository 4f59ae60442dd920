"""Laws of copies and files: a metric and its result survive pickle, JSON, Arrow and YAML."""

import copy
import json
import pickle
from collections.abc import Mapping
from typing import Any

from haystack import Pipeline
from haystack.core.serialization import component_from_dict, component_to_dict

from thresher.plugins import top_package
from thresher.results import FrozenColumn, MetricResult
from thresher.results.plain_results import described
from thresher.results.storage import from_arrow, to_arrow
from thresher.testing.requirements import require, require_same
from thresher.testing.subject import Subject


def copies(subject: Subject) -> None:
    """Pickled and deep copies of a metric give the same result."""
    for what, again in (
        ("after pickle", pickle.loads(pickle.dumps(subject.metric))),  # noqa: S301  # its own bytes
        ("after deepcopy", copy.deepcopy(subject.metric)),
    ):
        require_same(again.run(**subject.inputs)["result"], subject.result(), f"the metric {what}")


def storage(subject: Subject) -> None:
    """A result is the same after JSON, pickle and Arrow."""
    import pyarrow as pa

    result = subject.result()
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    require_same(MetricResult.from_dict(plain), result, "the result after JSON")
    require_same(pickle.loads(pickle.dumps(result)), result, "the result after pickle")  # noqa: S301
    columns = {key: pa.chunked_array([column]) for key, column in to_arrow(result).items()}
    stored = json.loads(json.dumps(described(result)))
    require_same(from_arrow(stored, columns), result, "the result after Arrow")


def columns(subject: Subject) -> None:
    """Frozen columns of a data set give the same result as lists."""
    frozen = {socket: FrozenColumn(entries) for socket, entries in subject.inputs.items()}
    require_same(subject.metric.run(**frozen)["result"], subject.result(), "a run on columns of a data set")


def options(subject: Subject) -> None:
    """Each changed option is plain data and survives `to_dict` and `from_dict`."""
    for option, changed in (("", None), *subject.changes.items()):
        others = dict(subject.together.get(option, {}))
        part = subject.made(**others, **({option: changed} if option else {}))
        for name, value in part.to_dict()["init_parameters"].items() if hasattr(part, "to_dict") else ():
            require(
                _is_plain(value),
                f"pipeline files cannot store the {type(value).__name__} in the option {name}; use numbers, "
                "texts, lists and dicts, or an object with `to_dict`",
            )
        stored = component_to_dict(part, subject.name)
        loaded = component_from_dict(type(part), stored, subject.name)
        same = _pipeline(loaded).dumps() == _pipeline(part).dumps()
        require(same, f"options differ after to_dict and from_dict: {option or 'defaults'}")


def _is_plain(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_is_plain(entry) for entry in value.values())
    if isinstance(value, list):
        return all(_is_plain(entry) for entry in value)
    return value is None or isinstance(value, str | int | float)


def yaml(subject: Subject) -> None:
    """A pipeline with the metric is the same after YAML."""
    pipeline = _pipeline(subject.metric)
    allowed = ["thresher", top_package(type(subject.metric).__module__)]
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=allowed)
    require(again.dumps() == pipeline.dumps(), "a pipeline's YAML differs after it was loaded")
    out = again.run({"metric": dict(subject.inputs)})["metric"]
    require_same(out["result"], subject.result(), "the metric loaded from YAML")


def _pipeline(part: Any) -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("metric", copy.deepcopy(part))
    return pipeline
