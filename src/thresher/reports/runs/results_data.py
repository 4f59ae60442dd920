"""All of a run as strict JSON data: inputs, ids, provenance and each metric result with its statistics.

The data contain the plain form too (`run`, `inputs`, `metrics` with `scores`), for simpler programs.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from thresher.errors import InputError
from thresher.kernels.retrieval.order import TIE_RULES
from thresher.kernels.retrieval.scored_ids import ScoredIds
from thresher.reports.rendering.text import plain
from thresher.reports.runs.results_checksum import CHECKSUM
from thresher.results import FrozenColumn, MetricResult
from thresher.results.redaction import redacted_strings

FORMAT = "thresher-results"
VERSION = 1
"""Version of the form. Readers take earlier versions; entries that they do not know are kept."""
_OF_RUN = {
    *("format", "version", "run", "inputs", "forms", "metrics", "ids", "ids_given", "provenance", "results"),
    CHECKSUM,
}
_OF_RESULT = {
    *("measures", "primary", "breakdowns", "status", "reasons", "evidence"),
    *("statistics", "ragged", "labels", "coded"),
}
_FLOATS = "floats"
"""Form of a column of numbers in which NaN and infinities are texts."""
_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_ATOMS = {str, int, bool, type(None)}


@dataclass(frozen=True)
class RunParts:
    """What makes up a run.

    Attributes:
        inputs: input columns.
        results: results of the metrics.
        name: name of the run.
        ids: ids of the items; None to read them from a column of ids.
        ids_given: False if the ids are generated.
        provenance: how the run came about.
        further: entries of a file that this version does not know: "" -> of the run, name of a result -> its.
    """

    inputs: Mapping[str, Sequence[Any]]
    results: Sequence[MetricResult]
    name: str = ""
    ids: Sequence[Any] | None = None
    ids_given: bool = True
    provenance: Mapping[str, Any] = field(default_factory=dict)
    further: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def results_data(run: RunParts) -> dict[str, Any]:
    """Return everything that the plain form of a run lacks, and its inputs as JSON data."""
    forms = {name: form for name, column in run.inputs.items() if (form := _form(column))}
    results = [{**run.further.get(result.name, {}), **result.to_dict()} for result in run.results]
    return {
        **run.further.get("", {}),
        "format": FORMAT,
        "version": VERSION,
        "run": run.name,
        "inputs": {name: _plain_column(column, forms.get(name)) for name, column in run.inputs.items()},
        "forms": forms,
        "ids": list(run.ids or ()),
        "ids_given": run.ids_given,
        "provenance": redacted_strings(plain(run.provenance)),
        "results": results,
    }


def is_results_data(data: object) -> bool:
    """Whether data say that they are of this form."""
    return isinstance(data, Mapping) and data.get("format") == FORMAT


def read_results_data(data: Mapping[str, Any]) -> RunParts:
    """Return the parts of a run.

    Raises:
        InputError: if a newer version wrote them, or a part is missing or malformed.
    """
    version = data.get("version")
    if type(version) is not int or version < 1:
        raise InputError(f"version={version!r} of results is not a whole number of at least 1")
    if version > VERSION:
        raise InputError(
            f"the results have version {version} of their form, and this release reads up to {VERSION}: "
            "upgrade thresher"
        )
    try:
        parts = _parts(data)
        _compute(parts.results)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        problem = f"there is no {error}" if isinstance(error, KeyError) else " ".join(str(error).split())
        raise InputError(f"the results are damaged: {problem}") from error
    return parts


def _parts(data: Mapping[str, Any]) -> RunParts:
    inputs, forms = data["inputs"], data.get("forms", {})
    results = [MetricResult.from_dict(result) for result in data["results"]]
    further = {
        result.name: {key: value for key, value in entry.items() if key not in _OF_RESULT}
        for result, entry in zip(results, data["results"], strict=True)
    }
    return RunParts(
        {name: _read_column(column, forms.get(name)) for name, column in inputs.items()},
        results,
        data["run"],
        _strings("ids", data["ids"]),
        bool(data["ids_given"]),
        dict(data["provenance"]),
        {"": {key: value for key, value in data.items() if key not in _OF_RUN}, **further},
    )


def _form(column: Sequence[Any]) -> str | None:
    """The form of a column whose entries JSON lacks; None if they need no form."""
    if isinstance(column, ScoredIds):
        return column.order
    odd = any(type(entry) is float and not math.isfinite(entry) for entry in column)
    return _FLOATS if odd and {type(entry) for entry in column} <= {*_ATOMS, float} - {str} else None


def _plain_column(column: Sequence[Any], form: str | None) -> list[Any]:
    if form == _FLOATS:
        names = {repr(value): name for name, value in _NUMBERS.items()}
        return [names.get(repr(entry), entry) for entry in column]
    entries = list(column)
    return entries if {type(entry) for entry in entries} <= _ATOMS else [plain(entry) for entry in entries]


def _read_column(entries: Any, form: str | None) -> Sequence[Any]:
    if not isinstance(entries, list):
        raise InputError(f"an input column is {type(entries).__name__} instead of a list")
    if form == _FLOATS:
        return [_NUMBERS[entry] if isinstance(entry, str) else entry for entry in entries]
    if form in TIE_RULES:
        return ScoredIds.of_lists(entries, form)
    if form is not None:
        raise InputError(f"the form {form!r} of an input column is unknown")
    return FrozenColumn(entries)


def _compute(results: Sequence[MetricResult]) -> None:
    """Compute every number once, so that statistics that do not fit raise here and not in a report."""
    for result in results:
        for measure in result.measures:
            result.value(measure.name)
            result.item_scores(measure.name)
        for breakdown in result.breakdowns:
            result.detail(breakdown.name)


def _strings(what: str, entries: Any) -> list[str]:
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise InputError(f"{what} must be a list of texts")
    return entries
