"""`thresher estimate`."""

import argparse
import math
from typing import Any

from haystack import Pipeline

from thresher.cli import asking
from thresher.cli.show import show
from thresher.cli.source import pipeline_and_data, read_data
from thresher.counted import counted
from thresher.errors import InputError
from thresher.judges.batch_settings import WINDOW_HOURS
from thresher.pipelines.judged import judged_components
from thresher.pipelines.run_estimate import RunEstimate, estimate_run
from thresher.reports.rendering.numbers import significant
from thresher.reports.report import TableReport
from thresher.reports.table import Table

_ASSUMED = (
    "Assumes that every verdict is yes and every sentence is one statement; retries and reasoning tokens are "
    "not included, and no input is cached by the provider."
)
_FEW = 200
"""Items below which the fixed cost of a chunk hides that of an item."""
_WINDOW = (
    f"each answered within {WINDOW_HOURS} hours. Chunks wait for each other, unless --no-wait submits a "
    "round of all chunks."
)
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
    hours, notes = _hours(options, estimated, pipeline)
    data = _size(estimated) | _calls(options, estimated) | hours
    notes = [*([_measured_note(estimated)] if estimated.measured != estimated.items else []), *notes]
    rows = _rows(data)
    heads = ("quantity", "estimate")
    readable = Table(heads, [(name, _grouped(value)) for name, value in rows])
    show(options, TableReport.of(Table(heads, rows), summary=readable, data=data), notes)
    return 0


def _hours(
    options: argparse.Namespace, estimated: RunEstimate, pipeline: Pipeline
) -> tuple[dict[str, Any], list[str]]:
    """Return the hours, with what limits them, and notes on them."""
    workers = options.workers or 1
    if not judged_components(pipeline):
        measured = f"measured on this machine with {counted(estimated.measured, 'item', form=',')}"
        note = (
            f"Hours: CPU time of reading, computing and storing, {measured}, {_shared(estimated, workers)}."
        )
        return {"hours": estimated.seconds(workers) / 3600}, [_NONE, note]
    if options.batch:
        rounds = estimated.calls.rounds * estimated.chunks
        chunked = (
            f" for each of {counted(estimated.chunks, 'chunk', form=',')}" if estimated.chunks > 1 else ""
        )
        note = f"{counted(estimated.calls.rounds, 'round')} of batches{chunked}, {_WINDOW}"
        return {"rounds": rounds, "hours_at_most": rounds * WINDOW_HOURS}, [_ASSUMED, note]
    hours = estimated.hours(asking.limits(options), options.latency, workers)
    longest = max(hours, key=hours.__getitem__)
    note = f"Hours: limited by {longest}, if a call takes {options.latency:g} s."
    return {"hours": hours[longest], "hours_by_limit": hours}, [_ASSUMED, note]


def _first(options: argparse.Namespace, limit: int) -> argparse.Namespace:
    """The options that read only the first items."""
    return argparse.Namespace(**vars(options) | {"limit": limit})


def _measured_note(estimated: RunEstimate) -> str:
    few = "; give some hundred for sizes and times to rely on" if estimated.measured < _FEW else ""
    return f"Estimated from {counted(estimated.measured, 'item', form=',')}{few}."


def _shared(estimated: RunEstimate, workers: int) -> str:
    if workers == 1:
        return "for one core"
    serial = significant(estimated.serial_seconds / 3600, 2)
    divided = f"divided by {counted(workers, 'worker')} with a free core each"
    return f"{divided}, but for {serial} hours in which one process starts and reads the data"


def _size(estimated: RunEstimate) -> dict[str, Any]:
    return {
        "items": estimated.items,
        "measured_items": estimated.measured,
        "chunk_size": estimated.chunk_size,
        "chunks": estimated.chunks,
        "files": estimated.files,
        "run_bytes": round(estimated.run_bytes),
        "cpu_hours": estimated.cpu_seconds / 3600,
        "serial_hours": estimated.serial_seconds / 3600,
    }


def _calls(options: argparse.Namespace, estimated: RunEstimate) -> dict[str, Any]:
    prices = asking.prices(options)
    cost = estimated.calls.cost(prices, batch=options.batch) if prices else None
    return {"answer_bytes": round(estimated.answer_bytes), **estimated.calls.to_dict(), "cost": cost}


def _rows(data: dict[str, Any]) -> list[tuple[str, object]]:
    """Rows for people: what a run without a judge or prices does not have is left out."""
    rows = [(name, data[name]) for name in ("items", "chunks", "files")]
    rows.append(("run directory, MB", _rounded(data["run_bytes"] / 1e6, 1)))
    if data["calls"]:
        rows += [("stored answers, MB", _rounded(data["answer_bytes"] / 1e6, 1)), ("calls", data["calls"])]
        rows += [("tokens sent", data["prompt_tokens"]), ("tokens received", data["completion_tokens"])]
    rows += [("images sent, without their tokens", data["images"])] if data.get("images") else []
    rows += [("cost", f"{data['cost']:.4f}")] if data["cost"] is not None else []
    rows += [("CPU hours", _rounded(data["cpu_hours"], 0.1))] if not data["calls"] else []
    if "hours_at_most" in data:
        rows += [("rounds of batches", data["rounds"]), ("hours, at most", data["hours_at_most"])]
    else:
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
