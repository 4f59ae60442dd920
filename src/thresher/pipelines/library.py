"""The recipes: what each holds, how its YAML is read, and how it is written."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from haystack import Pipeline
from haystack.core.errors import DeserializationError, PipelineError
from haystack.marshal import YamlMarshaller
from yaml import YAMLError

from thresher.components import metric_class
from thresher.errors import InputError
from thresher.pipelines.builder import build

_FOLDER = files("thresher.pipelines") / "recipes"


def _qa() -> list[Any]:
    return [metric_class("exact_match")(normalization="squad"), "token_f1", "rouge"]


def _rag() -> list[Any]:
    judged = ("faithfulness", "answer_relevance", "context_precision", "context_recall", "context_relevance")
    return [*_qa(), "hit_rate", "recall", "reciprocal_rank", *(f"valor_{name}" for name in judged)]


def _summarization() -> list[Any]:
    return ["rouge", "valor_summary_coherence", "valor_faithfulness", "valor_hallucination"]


def _safety() -> list[Any]:
    return ["valor_bias", "valor_toxicity"]


def _retrieval() -> list[Any]:
    top_ten = ("hit_rate", "precision", "recall", "ndcg")
    return [*(metric_class(name)(top_k=10) for name in top_ten), "reciprocal_rank", "average_precision"]


RECIPES: dict[str, tuple[str, Callable[[], list[Any]]]] = {
    "qa": ("short and long answers against reference answers", _qa),
    "retrieval": ("rankings against relevance judgements", _retrieval),
    "rag": ("answers, contexts and rankings; asks a judge", _rag),
    "safety": ("bias and toxicity of answers; asks a judge", _safety),
    "summarization": ("summaries against their sources and references; asks a judge", _summarization),
}
"""Name -> what it is for, and what it is built from."""


def recipe_names() -> list[str]:
    """Names of the shipped recipes."""
    return sorted(RECIPES)


def recipe_text(name: str) -> str:
    """The YAML of a recipe.

    Raises:
        InputError: for an unknown recipe; lists the known ones.
    """
    if name not in RECIPES:
        raise InputError(f"no recipe is called {name!r}; there are {', '.join(recipe_names())}")
    return (_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")


def load_recipe(name: str) -> Pipeline:
    """A shipped recipe as a Haystack pipeline.

    Raises:
        InputError: for an unknown recipe; lists the known ones.
    """
    return _loads(recipe_text(name), f"recipe {name}")


def load_pipeline(path: str | Path) -> Pipeline:
    """An evaluation pipeline from a YAML file of Haystack's.

    Args:
        path: the file. Components of Haystack and Thresher load as they are; for others, import the
            package that defines them and allow it as Haystack's documentation says.

    Raises:
        InputError: if the file is not there or is no such pipeline; the message says why.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    return _loads(text, str(path))


def built_recipe_text(name: str) -> str:
    """What the builder dumps for a recipe; the shipped file holds just this, below its first comment."""
    purpose, metrics = RECIPES[name]
    return f"# {name}: {purpose}.\n# thresher run {name} --data answers.jsonl\n{build(metrics()).dumps()}"


def _loads(text: str, where: str) -> Pipeline:
    try:
        data: object = YamlMarshaller().unmarshal(text)
        if not (isinstance(data, dict) and "components" in data):
            raise InputError(f"{where} is no pipeline: it has no `components`")
        return Pipeline.from_dict(data, allowed_modules=["thresher"])
    except (DeserializationError, PipelineError, YAMLError, KeyError, TypeError) as error:
        reason = " ".join(str(_root(error)).split())
        raise InputError(f"{where} is no pipeline that can be loaded: {reason}") from error


def _root(error: BaseException) -> BaseException:
    """What a component itself said, without the layers that Haystack puts around it."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error
