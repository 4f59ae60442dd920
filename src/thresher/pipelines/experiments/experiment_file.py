"""Experiment files: the options of an experiment in YAML, for review and CI."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from thresher.errors import InputError
from thresher.files.parsing import parse_yaml
from thresher.files.texts import whole_text
from thresher.metrics import NonNegative, Positive, PositiveCount, Text, check_option
from thresher.results.suggestions import suggest

_TEXTS = Text | Sequence[Text] | None
KEYS: dict[str, Any] = {
    "pipeline": Text,
    "questions": Any,
    "map": Mapping[str, Text] | None,
    "vary": Mapping[str, Any] | None,
    "exclude": Any,
    "configurations": Any,
    "recipe": Text | None,
    "metrics": _TEXTS,
    "out": Text | None,
    "indexing": Text | None,
    "documents": Any,
    "index_parameter": Text | None,
    "primary": _TEXTS,
    "repeats": PositiveCount,
    "workers": PositiveCount,
    "block": PositiveCount,
    "looks": PositiveCount,
    "margin": Any,
    "limit": PositiveCount | None,
    "question_to": _TEXTS,
    "answer_from": Text | None,
    "pipeline_inputs": Mapping[str, Any] | None,
    "judge_model": _TEXTS,
    "judge_url": _TEXTS,
    "judge_key": Text,
    "judge_pool": Text | None,
    "judge_ties": Text | None,
    "judge_votes": PositiveCount | None,
    "judge_weights": Text | Sequence[NonNegative] | None,
    "judge_extractor": Text | None,
    "price": Text | None,
    "cache": Text | None,
    "max_calls": PositiveCount | None,
    "max_cost": NonNegative | None,
    "max_concurrency": PositiveCount | None,
    "requests_per_minute": Positive | None,
    "tokens_per_minute": Positive | None,
    "timeout": Positive | None,
}
"""Key -> its type. The options of the command line have the same names, with hyphens."""
_FILES = ("pipeline", "questions", "configurations", "indexing", "documents", "out", "cache")
"""Keys whose text is a path, relative to the file's folder."""
_LISTS = ("primary", "question_to", "judge_model", "judge_url")
"""Keys with one text or a list of texts."""


def is_experiment_file(path: str) -> bool:
    """Whether a YAML file describes an experiment: unlike a pipeline it has no `components`."""
    if Path(path).suffix not in {".yaml", ".yml"} or not Path(path).is_file():
        return False
    content = parse_yaml(whole_text(Path(path)), path)
    return isinstance(content, Mapping) and "components" not in content


def read_experiment_file(path: str) -> dict[str, Any]:
    """The options in an experiment file, with its paths relative to the working directory.

    Raises:
        InputError: for an unknown key, with a suggestion, a value of the wrong type, or without `pipeline`.
    """
    content = parse_yaml(whole_text(Path(path)), path)
    options = {str(key).replace("-", "_"): value for key, value in content.items()}
    for key, value in options.items():
        if key not in KEYS:
            likely, known = suggest(key, KEYS), ", ".join(KEYS)
            raise InputError(f"{path}: unknown key {key!r}{likely}; there are {known}")
        if KEYS[key] is not Any:
            check_option(f"{path}: {key}", value, KEYS[key])
    if "pipeline" not in options:
        raise InputError(f"{path}: `pipeline:` is missing: name the YAML file of a Haystack pipeline")
    for key in _FILES:
        if isinstance(options.get(key), str):
            options[key] = _shown(Path(path).parent / options[key])
    recipe = Path(path).parent / str(options.get("recipe"))
    options |= {"recipe": str(recipe)} if recipe.is_file() else {}  # otherwise the name of a shipped recipe
    lists = {key: [options[key]] for key in _LISTS if isinstance(options.get(key), str)}
    return options | lists


def _shown(path: Path) -> str:
    """A path without `..`, relative to the working directory if it is below it."""
    whole, here = path.resolve(), Path.cwd()
    return str(whole.relative_to(here) if whole.is_relative_to(here) else whole)
