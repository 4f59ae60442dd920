"""`thresher estimate`."""

import argparse
import math
from typing import Any

from thresher.cli import asking
from thresher.cli.show import show
from thresher.cli.source import pipeline_and_data, read_data
from thresher.errors import InputError
from thresher.pipelines.judged import judged_components
from thresher.pipelines.run_estimate import RunEstimate, estimate_run
from thresher.reports.report import TableReport
from thresher.reports.table import Table

_ASSUMED = "Assumes that every verdict is yes and every sentence is one statement; retries are not included."
_FEW = 200
"""Items below which the fixed cost of a chunk hides that of an item."""
_NONE = "No metric of this pipeline calls a judge."


def run(options: argparse.Namespace) -> int:
    """Show the size, calls, tokens, cost and hours of a run without calling a model."""
    if not (math.isfinite(options.latency) and options.latency > 0):
        raise InputError(f"--latency {options.latency}: give a number of seconds above 0")
    pipeline, items = pipeline_and_data(options)
    asking.choose_judge(options, pipeline)
    workers = options.workers or 1
    estimated = estimate_run(
        pipeline,
        items,
        number=options.items,
        chunk_size=options.chunk_size,
        workers=workers,
        read=lambda limit: read_data(_first(options, limit), pipeline, None),
    )
    data = _size(estimated) | _calls(options, estimated)
    notes = [_measured_note(estimated)] if estimated.measured != estimated.items else []
    if judged_components(pipeline):
        hours = estimated.hours(asking.limits(options), options.latency, workers)
        longest = max(hours, key=hours.__getitem__)
        data |= {"hours": hours[longest], "hours_by_limit": hours}
        notes += [_ASSUMED, f"Hours: limited by {longest}, if a call takes {options.latency:g} s."]
    else:
        data |= {"hours": data["cpu_hours"] / workers}
        measured = f"measured on this machine with {estimated.measured:,} items"
        notes += [
            _NONE,
            f"Hours: CPU time of reading, computing and storing, {measured}, {_shared(workers)}.",
        ]
    rows = _rows(data)
    heads = ("quantity", "estimate")
    readable = Table(heads, [(name, _grouped(value)) for name, value in rows])
    show(options, TableReport.of(Table(heads, rows), summary=readable, data=data), notes)
    return 0


def _first(options: argparse.Namespace, limit: int) -> argparse.Namespace:
    """The options that read only the first items."""
    return argparse.Namespace(**vars(options) | {"limit": limit})


def _measured_note(estimated: RunEstimate) -> str:
    few = "; give some hundred for sizes and times to rely on" if estimated.measured < _FEW else ""
    return f"Estimated from {estimated.measured:,} items{few}."


def _shared(workers: int) -> str:
    return "for one core" if workers == 1 else f"divided by {workers} workers with a free core each"


def _size(estimated: RunEstimate) -> dict[str, Any]:
    return {
        "items": estimated.items,
        "measured_items": estimated.measured,
        "chunk_size": estimated.chunk_size,
        "chunks": estimated.chunks,
        "files": estimated.files,
        "run_bytes": round(estimated.run_bytes),
        "cpu_hours": estimated.cpu_seconds / 3600,
    }


def _calls(options: argparse.Namespace, estimated: RunEstimate) -> dict[str, Any]:
    prices = asking.prices(options)
    cost = estimated.calls.cost(prices) if prices else None
    return {"answer_bytes": round(estimated.answer_bytes), **estimated.calls.to_dict(), "cost": cost}


def _rows(data: dict[str, Any]) -> list[tuple[str, object]]:
    """Rows for people: what a run without a judge or prices does not have is left out."""
    rows = [(name, data[name]) for name in ("items", "chunks", "files")]
    rows.append(("run directory, MB", _rounded(data["run_bytes"] / 1e6, 1)))
    if data["calls"]:
        rows += [("stored answers, MB", _rounded(data["answer_bytes"] / 1e6, 1)), ("calls", data["calls"])]
        rows += [("tokens sent", data["prompt_tokens"]), ("tokens received", data["completion_tokens"])]
    rows += [("cost", f"{data['cost']:.4f}")] if data["cost"] is not None else []
    rows += [("CPU hours", _rounded(data["cpu_hours"], 0.1))] if not data["calls"] else []
    rows.append(("hours", _rounded(data["hours"], 0.1)))
    return rows + [(f"calls of {name}", calls) for name, calls in sorted(data["prompts"].items())]


def _grouped(value: object) -> object:
    """Separate thousands: the tokens of large runs have twelve digits."""
    return f"{value:,}" if isinstance(value, int) else value


def _rounded(value: float, least: float) -> float | int | str:
    """Round to two digits, because sizes are within a third of the truth; below `least`, only say so."""
    if value < least:
        return f"below {least:g}"
    rounded = float(f"{value:.2g}")
    return int(rounded) if rounded >= 100 else rounded  # noqa: PLR2004  # without `.0`
