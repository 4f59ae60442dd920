"""`--recorded`: columns of scores that something else computed, as metrics."""

from collections.abc import Sequence
from typing import Any, get_args

from haystack import Pipeline

from thresher.components import metric_class
from thresher.errors import InputError
from thresher.pipelines.builder import COLLECTOR
from thresher.results import Direction

RECORDED = "recorded_scores"
"""The metric that `--recorded` adds; its name among the metrics adds nothing."""


def without_recorded(words: str, texts: Sequence[str]) -> str:
    """Return metrics without `recorded_scores`, which says nothing that `--recorded` does not say.

    Args:
        words: a recipe, a file, or names of metrics separated by commas.
        texts: the values of `--recorded`.

    Raises:
        InputError: if they name the metric, and no column is given.
    """
    names = [name.strip() for name in words.split(",")]
    if RECORDED in names and not texts:
        raise InputError(f"{RECORDED} needs a column of scores: give --recorded COLUMN")
    return ",".join(name for name in names if name != RECORDED) if RECORDED in names else words


def recorded_metrics(texts: Sequence[str]) -> dict[str, Any]:
    """Return the metrics of columns, by the names of the columns.

    Args:
        texts: the values of `--recorded`.

    Raises:
        InputError: if one cannot be read, or a column is named twice.
    """
    metrics: dict[str, Any] = {}
    for text in texts:
        column, metric = _metric(text)
        if column in metrics:
            raise InputError(f"--recorded {text}: the column {column} is given twice; give it once")
        metrics[column] = metric
    return metrics


def add_recorded(pipeline: Pipeline, metrics: dict[str, Any]) -> None:
    """Connect the metrics of columns to the collector of a pipeline.

    Raises:
        InputError: if it has no collector, or a component that is named as a column.
    """
    for column, metric in metrics.items():
        if COLLECTOR not in pipeline.graph.nodes:
            raise InputError(f"--recorded {column}: the pipeline has no collector named {COLLECTOR!r}")
        if column in pipeline.graph.nodes:
            raise InputError(
                f"--recorded {column}: the pipeline already has a component {column!r}; rename the column "
                f"with --map {column}={column}_recorded, and give --recorded {column}_recorded"
            )
        pipeline.add_component(column, metric)
        pipeline.connect(f"{column}.result", f"{COLLECTOR}.results")


def _metric(text: str) -> tuple[str, Any]:
    column, *parts = text.split(":")
    options: dict[str, Any] = {}
    for part in filter(None, parts):
        if part in get_args(Direction):
            options["direction"] = part
        elif (bounds := _bounds(part)) is not None:
            options["bounds"] = bounds
        else:
            raise InputError(
                f"--recorded {text}: {part!r} is neither `lower` nor a range of scores; write "
                f"COLUMN[:lower][:LOW..HIGH], e.g. {column}:0..1"
            )
    if not column.isidentifier():
        plain = "".join(sign if sign.isalnum() else "_" for sign in column)
        name = plain if plain.isidentifier() else "score"
        raise InputError(
            f"--recorded {text}: the name of the column is not letters, digits and _; rename it with "
            f"--map '{column}={name}', and give --recorded {name}"
        )
    return column, metric_class(RECORDED)(column=column, **options)


def _bounds(text: str) -> list[float] | None:
    """Parse the smallest and largest possible score, as in `0..1`; None if it is not a range."""
    low, dots, high = text.partition("..")
    try:
        bounds = [float(low), float(high)]
    except ValueError:
        return None
    return bounds if dots and bounds[0] <= bounds[1] else None
