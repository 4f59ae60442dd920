"""Where the user's words come from: options in messages are those of the command line, or of Python."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_is_command_line: ContextVar[bool] = ContextVar("thresher_command_line", default=False)
_files: ContextVar[Mapping[str, str] | None] = ContextVar("thresher_files_of_parameters", default=None)
_in_pipeline: ContextVar[bool] = ContextVar("thresher_in_pipeline", default=False)
_is_experiment: ContextVar[bool] = ContextVar("thresher_is_experiment", default=False)
_method: ContextVar[str] = ContextVar("thresher_method_of_columns", default="")


@contextmanager
def command_line() -> Iterator[None]:
    """Name options of the command line in messages within the block."""
    token = _is_command_line.set(True)
    try:
        yield
    finally:
        _is_command_line.reset(token)


@contextmanager
def written_in(files: Mapping[str, str]) -> Iterator[None]:
    """Name parameters in messages within the block as the files that set them do.

    Args:
        files: name of a parameter -> the file that sets it.
    """
    token = _files.set(files)
    try:
        yield
    finally:
        _files.reset(token)


@contextmanager
def columns_of(method: str) -> Iterator[None]:
    """Say in messages within the block that columns are keyword arguments of a method."""
    token = _method.set(method)
    try:
        yield
    finally:
        _method.reset(token)


@contextmanager
def in_pipeline() -> Iterator[None]:
    """Say in messages within the block that columns are declared by the collector of a pipeline."""
    token = _in_pipeline.set(True)
    try:
        yield
    finally:
        _in_pipeline.reset(token)


@contextmanager
def of_experiment() -> Iterator[None]:
    """Name no options in messages within the block that only `thresher run` has."""
    token = _is_experiment.set(True)
    try:
        yield
    finally:
        _is_experiment.reset(token)


def undeclared(column: object) -> str:
    """Return how to declare a column that a report in a pipeline lacks; empty elsewhere."""
    declared = f"; declare it with EvaluationResultsCollector(columns=[{column!r}])"
    return declared if _in_pipeline.get() else ""


def option(on_command_line: str, in_python: str) -> str:
    """Return the one of two wordings that the user can follow.

    >>> option("--skip-missing", "skip_missing=True")
    'skip_missing=True'
    """
    return on_command_line if _is_command_line.get() else in_python


def run_option(on_command_line: str, otherwise: str) -> str:
    """Return the wording with an option of `thresher run` if the user can give it, else the other one."""
    return otherwise if _is_experiment.get() else option(on_command_line, otherwise)


def parameter(name: str) -> str:
    """Return the name of a parameter as the user writes it.

    >>> parameter("choose_on")
    'choose_on'

    >>> with written_in({"choose_on": "gate.yaml"}):
    ...     parameter("choose_on")
    'choose_on of gate.yaml'
    """
    file = (_files.get() or {}).get(name)
    if file is not None:
        return f"{name} of {file}"
    return option(f"--{name.replace('_', '-')}", name)


def given(name: str, value: object) -> str:
    """Return a parameter with its value as the user wrote it: `--choose-on a=b` or `choose_on='a=b'`.

    >>> given("choose_on", "split=val")
    "choose_on='split=val'"

    >>> with written_in({"choose_on": "gate.yaml"}):
    ...     given("choose_on", "split=val")
    'choose_on: split=val (gate.yaml)'
    """
    words = f"{value:.15g}" if isinstance(value, float) else value  # 95 was read as 95.0
    file = (_files.get() or {}).get(name)
    if file is not None:
        return f"{name}: {words} ({file})"
    return option(f"{parameter(name)} {words}", f"{name}={value!r}")


def metric_option(words: str) -> str:
    """Return how to set an option of a metric, which the command line reads from pipeline files only.

    Args:
        words: the option with its value, as in Python.

    >>> metric_option("document_comparison_field='id'")
    "document_comparison_field='id'"

    >>> with command_line():
    ...     metric_option("synonyms=False"), metric_option("document_comparison_field='id'")
    ('synonyms: false in a pipeline file', 'document_comparison_field: id in a pipeline file')
    """
    name, _, value = words.partition("=")
    plain = value.lower() if value in {"True", "False"} else value.strip("'")
    return option(f"{name}: {plain} in a pipeline file", words)


def mapping(*renamed: tuple[object, object]) -> str:
    """Return the option that gives columns other names.

    Args:
        renamed: column and name of each.

    >>> mapping(("answer", "predicted_answers"))
    "mapping={'answer': 'predicted_answers'}"
    """
    words = " ".join(f"--map {column}={name}" for column, name in renamed)
    return option(words, f"mapping={{{', '.join(f'{column!r}: {name!r}' for column, name in renamed)}}}")


def reading_with(*renamed: tuple[object, object]) -> str:
    """Return how to read data with other names of columns.

    >>> reading_with(("answer", "predicted_answers"))
    "read_dataset(..., mapping={'answer': 'predicted_answers'})"

    >>> with columns_of("update"):
    ...     reading_with(("answer", "predicted_answers"))
    'update(predicted_answers=answer)'
    """
    if _method.get():
        return f"{_method.get()}({', '.join(f'{name}={column}' for column, name in renamed)})"
    return option(mapping(*renamed), f"read_dataset(..., {mapping(*renamed)})")
