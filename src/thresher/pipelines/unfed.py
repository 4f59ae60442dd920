"""Metrics whose columns the data lack, or have as JSON text."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Any

from haystack import Pipeline

from thresher.datasets import Dataset
from thresher.datasets._flatten import MOST_KEYS
from thresher.datasets._values import parse_literal
from thresher.datasets.sources import Source
from thresher.errors import InputError
from thresher.pipelines.evaluator_settings import bare_scores
from thresher.pipelines.isolation import has_result
from thresher.pipelines.pipeline_text import problem
from thresher.plugins import top_package
from thresher.reports.collector import EvaluationResultsCollector
from thresher.results import VOCABULARY, FrozenColumn, MetricResult
from thresher.results.column_names import key_of, side_of
from thresher.results.column_roles import SIDES, nested_socket, path_of
from thresher.results.entry_kinds import kind_of_entries
from thresher.results.open_columns import FITTING
from thresher.results.renamed_measures import current_name
from thresher.results.suggestions import similar_names, suggest
from thresher.surface import option, reading_with
from thresher.version import COMPONENT_MODULES

Keys = tuple[str, ...]
_TEXTS = frozenset({"questions", "predicted_answers", "second_predicted_answers", "ground_truth_answers"})
_SINGLE = _TEXTS - {"ground_truth_answers"}
"""Columns of one text an item."""
_OUTER = {
    "questions": ("inputs", "questions"),
    "predicted_answers": ("outputs", "predicted_answers"),
    "second_predicted_answers": ("outputs", "predicted_answers"),
    "ground_truth_answers": ("references", "ground_truth_answers"),
    "contexts": ("outputs", "contexts"),
}
"""Column that may hold JSON as text -> a key and a socket: what is meant has the socket under this key."""
_CONTENTS = frozenset({"text", "content"})
_NEAR = 0.85
_HEAD = 100
"""Items by which the kind of a column is known."""
_BLOCK = 10_000
"""Items whose texts are parsed at a time, after the first item: one that is not JSON settles most columns."""
_SHOWN = 8
"""Keys in a message."""


def without_unfed(pipeline: Pipeline, dataset: Source) -> tuple[Pipeline, dict[str, str]]:
    """The pipeline without the components whose columns the data lack.

    Their measures are removed from the collector's primary measures; if none remain, every metric's
    declared primary measures apply.

    Returns:
        A new pipeline, and for each component left out the first column that it lacks.

    Raises:
        InputError: if no metric is left, or a component cannot be serialised.
    """
    lacking = {
        component: next(socket for socket in sockets if is_unfed(socket, sockets, dataset))
        for component, sockets in pipeline.inputs().items()
        if any(is_unfed(socket, sockets, dataset) for socket in sockets)
    }
    try:
        whole = pipeline.to_dict()
    except Exception as error:
        raise InputError(f"{problem(pipeline, error)}; so no metric can be left out") from error
    _add_receivers(lacking, pipeline, whole["connections"])
    components = {name: part for name, part in whole["components"].items() if name not in lacking}
    _drop_primary(components, {name: pipeline.get_component(name) for name in lacking})
    wires = [wire for wire in whole["connections"] if wire["sender"].partition(".")[0] in components]
    if not wires:
        raise InputError(f"the data feed none of the metrics: they have {_listed(dataset)}")
    rest = {**whole, "components": components, "connections": wires}
    parts = [type(pipeline.get_component(name)) for name in components]
    allowed = [*COMPONENT_MODULES, *({top_package(part.__module__) for part in parts} - {"thresher"})]
    return Pipeline.from_dict(rest, allowed_modules=allowed), lacking


def _drop_primary(components: Mapping[str, Any], left_out: Mapping[str, Any]) -> None:
    """Remove the measures of components left out from the collectors' primary measures."""
    removed = {name for component, part in left_out.items() for name in _measures(component, part)}
    for options in collectors(components):
        declared = options.get("primary") or ()
        primary = [name for name in declared if current_name(name) not in removed]
        options["primary"] = primary or None


def _measures(name: str, part: Any) -> list[str]:
    """Names of the measures that a component reports; its own name for Haystack's evaluators."""
    return [measure.name for measure in empty_result(part).measures] if has_result(part) else [name]


def empty_result(part: Any) -> MetricResult:
    """The result of a metric over no items, which has its measures; no model is called."""
    sockets = part.__haystack_input__._sockets_dict  # noqa: SLF001  # Haystack has no public reader
    empty = {socket: FrozenColumn() for socket, facts in sockets.items() if facts.is_mandatory}
    result: MetricResult = part.run(**empty)["result"]
    return result


def result_names(pipeline: Pipeline) -> set[str] | None:
    """Names of the results that a pipeline gives; None if a metric does not run over no items."""
    names = {metric for _, metric, _ in bare_scores(pipeline)}
    try:
        for _, part in pipeline.walk():
            if has_result(part):
                names.add(empty_result(part).name)
    except Exception:  # noqa: BLE001  (components of other packages may raise anything)
        return None
    return names


def collectors(components: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The init parameters of the collectors in a pipeline's dictionary."""
    collector = f"{EvaluationResultsCollector.__module__}.{EvaluationResultsCollector.__name__}"
    return [part["init_parameters"] for part in components.values() if part["type"] == collector]


def _add_receivers(
    lacking: dict[str, str], pipeline: Pipeline, connections: Sequence[Mapping[str, str]]
) -> None:
    """Add components that depend on a component left out, as detection metrics depend on their matcher."""
    for _ in connections:
        for wire in connections:
            sender, receiver = wire["sender"].partition(".")[0], wire["receiver"].partition(".")
            sockets = pipeline.graph.nodes[receiver[0]]["input_sockets"]
            if sender in lacking and receiver[0] not in lacking and sockets[receiver[2]].is_mandatory:
                lacking[receiver[0]] = lacking[sender]


def is_unfed(socket: str, sockets: Mapping[str, Any], dataset: Source) -> bool:
    """Whether an input must have a column, and the data lack it."""
    return bool(sockets[socket]["is_mandatory"]) and socket not in dataset.columns


def unfed_problem(component: str, sockets: Sequence[str], dataset: Source) -> str:
    """Why inputs have no column, and the remedy: rename the columns, or the input of an own metric."""
    socket = sockets[0]
    lacks = f"{component} needs the column {socket!r}"
    column = next((column for column, source in dataset.origin.items() if source == socket), None)
    if column is not None and socket not in VOCABULARY:
        name = option(
            f"give the input of the metric that name, or --recorded {column}",
            "give the input of the metric that name",
        )
        return f"{lacks}, which is read as {column!r}: {name}"
    likely = "" if socket in VOCABULARY else suggest(socket, set(dataset.columns) & set(VOCABULARY))
    head = dataset.slice(0, _HEAD)
    renamed = reading_with(*((_likely_column(name, head) or "COLUMN", name) for name in sockets))
    others = f"; it also needs {' and '.join(map(repr, sockets[1:]))}" if sockets[1:] else ""
    return (
        f"{lacks}{likely}, and the data have {_listed(dataset)}{others}; "
        f"rename {'them' if others else 'one'} with {renamed}, or "
        f"leave out metrics without data{option(' with --skip-missing', '')}"
    )


def _likely_column(socket: str, head: Dataset) -> str | None:
    """The column that a missing one most likely is, by its name in the source; None if that is unclear.

    Answers are never suggested as references, nor references as answers: outer keys say what a column is.
    """
    sources = {name: head.origin.get(name, name) for name in head.columns if name not in VOCABULARY}
    own = SIDES.get(socket)
    allowed = {source: name for name, source in sources.items() if side_of(source) in {None, own}}
    same = [
        source for source, name in allowed.items() if side_of(source) == own and _fits(socket, head, name)
    ]
    paths = {source: path_of(source) for source in same}
    named = [source for source, path in paths.items() if len(path) > 1 and key_of(path[-1]) in _CONTENTS]
    nested = [source for source in same if "." in source]
    for likely in (named, nested):
        if len(likely) == 1:
            return likely[0]
    if socket in _TEXTS:  # stricter: many names of answers resemble those of references
        return next(iter(get_close_matches(socket, allowed, n=1, cutoff=_NEAR)), None)
    return next(iter(similar_names(socket, allowed)), None)


def _fits(socket: str, head: Dataset, name: str) -> bool:
    if socket not in _TEXTS or socket == "second_predicted_answers":  # no key says which system
        return False
    return kind_of_entries(head.columns[name]) in FITTING[socket] - {"empty", "number"}


def refuse_json_texts(pipeline: Pipeline, feeds: Mapping[str, Collection[str]], dataset: Source) -> None:
    """Raise InputError if a metric reads texts that all are JSON of objects, such as `{"answer": "Paris"}`.

    Tracing tools log them so, and metrics would score braces and keys. A pipeline with a metric that reads
    JSON (`reads_json`) evaluates such texts as they are.

    Args:
        pipeline: the evaluation pipeline.
        feeds: component -> its inputs that have a column.
        dataset: the items.
    """
    parts = {name: pipeline.get_component(name) for name in feeds}
    if any(getattr(part, "reads_json", False) for part in parts.values()):
        return
    metrics = [name for name, part in parts.items() if not isinstance(part, EvaluationResultsCollector)]
    read = {socket for name in metrics for socket in feeds[name]} & _OUTER.keys()
    found: dict[str, dict[Keys, bool]] = {name: {} for name in _OUTER if read and name in dataset.columns}
    start = 0
    while found and start < len(dataset):
        stop = start + (_BLOCK if start else 1)
        part = dataset.slice(start, stop)
        found = {name: keys for name, keys in found.items() if _add_keys(keys, name, part.columns[name])}
        start = stop
    inner = {name: _meant_keys(name, keys) for name, keys in found.items() if keys}
    wrapped = {name: keys for name, keys in inner.items() if keys or name in _TEXTS}
    if wrapped.keys().isdisjoint(read):
        return
    sources = {name: dataset.origin.get(name, name) for name in wrapped}
    listed = ", ".join(f"{source!r} ({_shown(found[name])})" for name, source in sources.items())
    renamed = [(".".join((sources[name], *(keys or ("KEY",)))), name) for name, keys in wrapped.items()]
    raise InputError(
        f"every text of {listed} is the JSON of an object: read what is meant with {reading_with(*renamed)}; "
        "to evaluate the JSON itself, add the metric json_valid"
    )


def _add_keys(keys: dict[Keys, bool], name: str, entries: Sequence[Any]) -> bool:
    """Add the keys of entries that are objects written as text; False if there is any other entry."""
    for entry in entries:
        text = entry[0] if name == "contexts" and isinstance(entry, list) and len(entry) == 1 else entry
        if text is None or text == "":
            continue
        value = None
        if isinstance(text, str) and text.lstrip()[:1] == "{":
            with suppress(RecursionError):
                value = parse_literal(text.strip())
        if not isinstance(value, dict):
            return False
        _add_leaves(keys, str if name in _SINGLE else (str, list), value, ())
    return True


def _add_leaves(keys: dict[Keys, bool], kinds: Any, value: Any, path: Keys) -> None:
    if isinstance(value, dict) and value and len(keys) <= MOST_KEYS:
        for key, part in value.items():
            _add_leaves(keys, kinds, part, (*path, str(key)))
    elif path:
        keys[path] = keys.get(path, False) or isinstance(value, kinds)


def _meant_keys(name: str, keys: Mapping[Keys, bool]) -> Keys | None:
    """The keys of the text that a column is meant to hold; None if that is unclear."""
    outer, socket = _OUTER[name]
    fitting = [path for path, fits in keys.items() if fits and side_of(outer, *path) == side_of(outer)]
    named = [path for path in fitting if nested_socket((outer, *path)) == socket]
    likely = named or (fitting if name in _TEXTS else [])
    return likely[0] if len(likely) == 1 else None


def _shown(keys: Iterable[Keys]) -> str:
    names = [".".join(path) for path in keys]
    return f"keys: {', '.join(names[:_SHOWN])}{', ...' if len(names) > _SHOWN else ''}"


def _listed(dataset: Source) -> str:
    return ", ".join(dataset.columns) or "no columns"
