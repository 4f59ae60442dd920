"""The thresholds of a report as the file of a deployment; `thresher.files.thresholds` reads it."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.errors import InputError
from thresher.files.thresholds import SCHEMA
from thresher.files.writing import replace_file
from thresher.reports.thresholds.held_out import HonestThreshold, ReportedSearch
from thresher.version import __version__

_SUFFIXES = (".json", ".yaml", ".yml")


def exported_labels(search: ReportedSearch, run: str, chosen_on: str) -> dict[str, Any]:
    """Return the content of the file for scored labels or objects.

    A label without a threshold that helps is not listed, so that the default applies; one that reaches no
    floor has None, which keeps nothing.

    Args:
        search: the thresholds of one metric.
        run: name of the run.
        chosen_on: how the items were divided, in a sentence.
    """
    best = search.headline
    labels = [known for known in search.labels if not known.note or _keeps_nothing(search, known)]
    return {
        **_head(run, search.search.name, search.search.objective.name, "higher", chosen_on),
        "positive": search.search.positive,
        "default": None if best.note else _number(best.threshold),
        "thresholds": {str(known.label): _number(known.threshold) for known in labels},
        "ranges": {
            "default": _range(best),
            "thresholds": {str(known.label): _range(known) for known in labels},
        },
        "value": {
            "quantity": search.search.value.lower() if search.quantity == "f" else search.quantity,
            "default": _value(search, best),
            "thresholds": {str(known.label): _value(search, known) for known in labels},
        },
        "notes": {str(known.label): known.note for known in search.labels if known.note},
    }


def exported_scores(
    run: str, metric: str, objective: str, chosen_on: str, threshold: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the content of the file for the scores of items, which have one threshold.

    Args:
        run: name of the run.
        metric: name of the metric or column of scores.
        objective: what the threshold was chosen for.
        chosen_on: how the items were divided, in a sentence.
        threshold: data of the chosen threshold.
    """
    interval = threshold["interval"]
    return {
        **_head(run, metric, objective, threshold["direction"], chosen_on),
        "positive": None,
        "default": threshold["threshold"],
        "thresholds": {},
        "ranges": {"default": interval and [interval["low"], interval["high"]], "thresholds": {}},
    }


def check_suffix(path: str | Path) -> None:
    """Raise unless the file is called `.json` or `.yaml`."""
    if Path(path).suffix.lower() not in _SUFFIXES:
        raise InputError(f"cannot infer the format of {str(path)!r}; name it .json or .yaml")


def write_thresholds(data: Mapping[str, Any], path: str | Path) -> None:
    """Write the file whole.

    Raises:
        InputError: for another suffix, or a file that cannot be written.
    """
    check_suffix(path)
    if Path(path).suffix.lower() == ".json":
        text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    else:
        import yaml

        text = yaml.safe_dump(dict(data), sort_keys=False, allow_unicode=True)
    replace_file(path, text)


def _head(run: str, metric: str, objective: str, direction: str, chosen_on: str) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "thresher": __version__,
        "run": run,
        "metric": metric,
        "objective": objective,
        "direction": direction,
        "chosen_on": chosen_on,
    }


def _keeps_nothing(search: ReportedSearch, known: HonestThreshold) -> bool:
    return search.quantity != "f" and known.truths > 0 and not math.isfinite(known.threshold)


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _range(known: HonestThreshold) -> list[float | None] | None:
    return None if math.isnan(known.low) else [_number(known.low), _number(known.high)]


def _value(search: ReportedSearch, known: HonestThreshold) -> dict[str, Any]:
    if search.same_items:  # nothing is known of others
        return {"where_chosen": _number(known.chosen), "on_others": None}
    interval = known.reported.interval
    ends = {} if interval is None else {"low": interval.low, "high": interval.high}
    return {"where_chosen": _number(known.chosen), "on_others": _number(known.reported.value), **ends}
