"""The catalogue of metrics, read from the components; shown by the command line and the docs."""

import inspect
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thresher.components import metric_class, metric_name, metric_names
from thresher.components._aliases import ALIASES
from thresher.components._names import others
from thresher.errors import PluginWarning
from thresher.results import FrozenColumn, Measure

REQUIRED = inspect.Parameter.empty
"""Marks an option without a default."""


class _Placeholder:
    """Replaces a model in components that score no items."""

    def predict(self, pairs: list[Any]) -> list[float]:
        """Return zeros."""
        return [0.0] * len(pairs)

    def run(self, text: str) -> dict[str, list[float]]:
        """Return an embedding; avoids the default encoder, which is an optional dependency."""
        del text
        return {"embedding": [0.0]}


_REQUIRED: dict[str, dict[str, Any]] = {
    "cross_encoder_similarity": {"cross_encoder": _Placeholder()},
    "custom_judge": {
        "template": "How polite is this? {{ predicted_answers }}",
        "reply": {"reason": "text", "score": {"low": 1, "high": 5}},
    },
    "json_schema": {"schema": {"type": "object"}},
    "language_match": {"language": "en"},
    "llama_index_semantic_similarity": {"embedder": _Placeholder()},
    "meteor": {"synonyms": False},
    "ragas_answer_correctness": {"embedder": _Placeholder()},
    "ragas_answer_relevancy": {"embedder": _Placeholder()},
    "ragas_aspect_critic": {"definition": "The answer is polite."},
    "recorded_scores": {"column": "scores"},
    "semantic_similarity": {"embedder": _Placeholder()},
    "sql_rows": {"tables": ["CREATE TABLE t (a)"]},
    "text_conditions": {"contains_all": ["Paris"]},
}
"""Values of options without a default, or whose default needs data or an extra."""


@dataclass(frozen=True)
class Entry:
    """One metric of the catalogue.

    Attributes:
        name: short name, for `build` and the command line.
        class_name: class of the component.
        family: package of the component, e.g. `text` or `judged/valor`.
        summary: first paragraph of its docstring.
        aliases: other names of only this metric.
        inputs: required inputs.
        optional: optional inputs.
        options: `__init__` option -> its default, or `REQUIRED`.
        measures: the measures with default options.
        primary: names of the measures that comparisons test by default.
        facts: the labelled lines of its docstring: `Formula`, `Source`, and for judged metrics `Calls`
            and `Differs`.
    """

    name: str
    class_name: str
    family: str
    summary: str
    aliases: tuple[str, ...]
    inputs: tuple[str, ...]
    optional: tuple[str, ...]
    options: dict[str, Any]
    measures: tuple[Measure, ...]
    primary: tuple[str, ...]
    facts: dict[str, str]


def catalogue() -> list[Entry]:
    """Every metric, by family and name."""
    return sorted((entry(name) for name in metric_names()), key=lambda known: (known.family, known.name))


def entry(name: str) -> Entry:
    """Return the entry of a metric.

    Raises:
        InputError: for an unknown name.
    """
    name = metric_name(name)
    if name in others():
        return _external_entry(name)
    part = example(name)
    kind = type(part)
    sockets = part.__haystack_input__._sockets_dict  # noqa: SLF001  # Haystack has no public reader
    inputs = tuple(socket for socket, facts in sockets.items() if facts.is_mandatory)
    nothing = {socket: FrozenColumn() for socket in inputs}
    text = inspect.getdoc(kind) or ""
    result = part.run(**nothing)["result"]
    return Entry(
        name,
        kind.__name__,
        "/".join(kind.__module__.removeprefix("thresher.components.").split(".")[:-1]),
        _flat(text.split("\n\n")[0]),
        tuple(alias for alias, meanings in ALIASES.items() if meanings == (name,)),
        inputs,
        tuple(socket for socket in sockets if socket not in inputs),
        default_options(name),
        result.measures,
        result.primary,
        _facts(text),
    )


def example(name: str) -> Any:
    """A metric of this package with its default options, and invented values of options without a default."""
    kind = metric_class(name)
    return kind(**_REQUIRED.get(name, {}), **_judge_for(kind))


def _judge_for(kind: type[Any]) -> dict[str, Any]:
    """A judge that is never called, for judged metrics: building the default judge imports its client."""
    return (
        {"chat_generator": _Placeholder()} if "chat_generator" in inspect.signature(kind).parameters else {}
    )


def _external_entry(name: str) -> Entry:
    """The entry of a metric of another package; its family is the package."""
    metric = others()[name]
    text = inspect.getdoc(metric.cls) or ""
    sockets = {
        socket: parameter.default is parameter.empty
        for socket, parameter in inspect.signature(metric.cls.run).parameters.items()
        if socket != "self" and parameter.kind is not parameter.VAR_KEYWORD
    }
    inputs = tuple(socket for socket, mandatory in sockets.items() if mandatory)
    options = default_options(name)
    measures, primary = _external_measures(name, metric.cls, options, inputs)
    return Entry(
        name,
        metric.cls.__name__,
        metric.origin,
        _flat(text.split("\n\n")[0]),
        (),
        inputs,
        tuple(socket for socket in sockets if socket not in inputs),
        options,
        measures,
        primary,
        _facts(text),
    )


def _external_measures(
    name: str, cls: type[Any], options: Mapping[str, Any], inputs: tuple[str, ...]
) -> tuple[tuple[Measure, ...], tuple[str, ...]]:
    """Measures of a metric with default options; none with a warning if it does not score an empty run."""
    if REQUIRED in options.values():
        return (), ()
    try:
        result = cls().run(**{socket: FrozenColumn() for socket in inputs}).get("result")
    except Exception as error:  # noqa: BLE001  # a broken metric of another package must not break the list
        problem = f"{type(error).__name__}: {_flat(str(error))}"
        warnings.warn(
            f"metric {name!r} does not score a run without items: {problem}", PluginWarning, stacklevel=2
        )
        return (), ()
    return (result.measures, result.primary) if result is not None else ((), ())


def default_options(name: str) -> dict[str, Any]:
    """`__init__` option -> default of a metric's component, in order; `REQUIRED` where there is none.

    Raises:
        InputError: for an unknown name.
    """
    _, *parameters = inspect.signature(metric_class(name).__init__).parameters.values()
    return {parameter.name: parameter.default for parameter in parameters}


def _facts(text: str) -> dict[str, str]:
    """`Label: words` at the start of a line, with the indented or following lines of the same paragraph."""
    facts: dict[str, Any] = {}
    for paragraph in text.split("\n\n"):
        for block in re.split(r"\n(?=[A-Z][a-z]+: )", paragraph):
            label, colon, words = block.partition(": ")
            if colon and label in {"Formula", "Source", "Calls", "Differs", "Origin"}:
                facts[label] = _flat(words)
    return facts


def _flat(text: str) -> str:
    return " ".join(text.split())
