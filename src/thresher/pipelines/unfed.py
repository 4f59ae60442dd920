"""Metrics whose columns the data lack, or have as JSON text."""

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from haystack import Pipeline

from thresher.counted import counted
from thresher.datasets import Dataset
from thresher.datasets._flatten import MOST_KEYS
from thresher.datasets._values import parse_literal, parse_objects
from thresher.datasets.sources import Source
from thresher.errors import DataWarning, InputError
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
from thresher.results.short_names import known_name
from thresher.results.suggestions import similar_names, suggest
from thresher.surface import option, reading_with, run_option
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
_FIRST, _BLOCK = 1000, 10_000
"""Items whose texts are parsed first, and then at a time: a column without JSON in the first is left."""
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
        primary = [name for name in declared if known_name(name, removed) not in removed]
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
        name = run_option(
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
        f"leave out metrics without data{run_option(' with --skip-missing', '')}"
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


def check_metrics(pipeline: Pipeline, name: str = "PIPELINE") -> None:
    """Raise unless a pipeline has a metric or a collector; one that answers questions has neither.

    Raises:
        InputError: with the way to ask and evaluate such a pipeline.
    """
    if not any(
        isinstance(part, EvaluationResultsCollector) or has_result(part) for _, part in pipeline.walk()
    ):
        asked = option(
            f"`thresher experiment {name} --questions FILE --metrics NAMES`",
            "evaluate_pipeline(pipeline, questions, metrics)",
        )
        raise InputError(
            "the pipeline has no metric as output: end it with an EvaluationResultsCollector, or, if it "
            f"answers questions, ask and evaluate it with {asked}"
        )


def refuse_json_texts(pipeline: Pipeline, feeds: Mapping[str, Collection[str]], dataset: Source) -> None:
    """Raise InputError if most texts that a metric reads are JSON of objects, such as `{"answer": "Paris"}`.

    Tracing tools log them so, and metrics would score braces and keys. A pipeline with a metric that reads
    JSON (`reads_json`) evaluates such texts as they are.

    Args:
        pipeline: the evaluation pipeline.
        feeds: component -> its inputs that have a column.
        dataset: the items.

    Warns:
        DataWarning: if at most half of the texts are, or if references are JSON of lists of texts.
    """
    parts = {name: pipeline.get_component(name) for name in feeds}
    if any(getattr(part, "reads_json", False) for part in parts.values()):
        return
    metrics = [name for name, part in parts.items() if not isinstance(part, EvaluationResultsCollector)]
    read = {socket for name in metrics for socket in feeds[name]} & _OUTER.keys()
    found = {name: _JsonTexts(name) for name in _OUTER if read and name in dataset.columns}
    start = 0
    while found and start < len(dataset):
        stop = start + (_BLOCK if start else _FIRST)
        part = dataset.slice(start, stop)
        for name, texts in found.items():
            texts.add(part.columns[name])
        found = {
            name: texts for name, texts in found.items() if texts.objects or texts.lists or not texts.total
        }
        start = stop
    inner = {name: _meant_keys(name, texts.keys) for name, texts in found.items() if texts.keys}
    wrapped = {name: keys for name, keys in inner.items() if keys or name in _TEXTS}
    sources = {name: dataset.origin.get(name, name) for name in found}
    mostly = {name: keys for name, keys in wrapped.items() if 2 * found[name].objects > found[name].total}
    if mostly.keys().isdisjoint(read):
        for name in sorted(read & found.keys()):
            _warn_of_json(found[name], sources[name], objects=name in wrapped)
        return
    raise InputError(_json_problem({name: found[name] for name in mostly}, mostly, sources))


def _warn_of_json(texts: "_JsonTexts", source: str, *, objects: bool) -> None:
    total = f"{counted(texts.total, 'text')} of {source!r}"
    if objects:
        message = f"{texts.objects} of {total} are JSON objects, scored as they are"
        warnings.warn(message, DataWarning, stacklevel=5)
    if texts.lists:
        message = f"{texts.lists} of {total} are JSON lists, scored as they are; to accept each text in them"
        warnings.warn(f"{message}, give lists in the place of their JSON", DataWarning, stacklevel=5)


def _json_problem(
    found: Mapping[str, "_JsonTexts"], meant: Mapping[str, Keys | None], sources: Mapping[str, str]
) -> str:
    """What is JSON, and which mapping reads what is meant."""
    columns = {name: f"{sources[name]!r} ({_shown(texts.keys)})" for name, texts in found.items()}
    others = ""
    if all(texts.objects == texts.total for texts in found.values()):
        problem = f"every text of {', '.join(columns.values())} is the JSON of an object"
    else:
        counts = [
            f"{found[name].objects} of {counted(found[name].total, 'text')} of {columns[name]}"
            for name in columns
        ]
        problem = f"{', '.join(counts)} are JSON objects"
        others = ", after you empty the other texts, which are then missing"
    renamed = [
        (".".join((sources[name], *(meant[name] or ("KEY",)))), name)
        for name, texts in found.items()
        if not texts.several
    ]
    remedies = [f"read what is meant with {reading_with(*renamed)}{others}"] if renamed else []
    if len(renamed) < len(found):
        remedies.append("replace lists of several objects by the texts that are meant")
    return f"{problem}: {'; '.join(remedies)}; to evaluate the JSON itself, add the metric json_valid"


@dataclass
class _JsonTexts:
    """How many texts of a column are JSON.

    Attributes:
        name: the column.
        total: number of its texts; missing and empty ones do not count.
        objects: how many are the JSON of an object, or of a list of objects.
        lists: how many references are the JSON of a list of texts.
        several: whether there is a list of more objects than one.
        keys: keys of the values in the objects -> whether one is what the column is meant to hold.
    """

    name: str
    total: int = 0
    objects: int = 0
    lists: int = 0
    several: bool = False
    keys: dict[Keys, bool] = field(default_factory=dict)

    def add(self, entries: Sequence[Any]) -> None:
        kinds = str if self.name in _SINGLE else (str, list)
        for entry in entries:
            is_listed = self.name == "contexts" and isinstance(entry, list) and len(entry) == 1
            text = entry[0] if is_listed else entry
            if text is None or text == "":
                continue
            self.total += 1
            with suppress(RecursionError):
                objects = parse_objects(text) if isinstance(text, str) else []
                for value in objects:
                    _add_leaves(self.keys, kinds, value, ())
                self.objects += bool(objects)
                self.several |= len(objects) > 1
                if self.name == "ground_truth_answers" and not objects and isinstance(text, str):
                    self.lists += _is_list_of_texts(text.strip())


def _is_list_of_texts(text: str) -> bool:
    value = parse_literal(text) if text[:1] == "[" else None
    return isinstance(value, list) and bool(value) and all(isinstance(part, str) for part in value)


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
