"""The shipped recipes, and pipelines by name."""

import copy
from functools import cache
from importlib.resources import files
from typing import Any

from haystack import Pipeline

from thresher.components import metric_class, metric_names
from thresher.components._names import meanings, with_aliases
from thresher.errors import InputError
from thresher.metrics.registry import plugins_without_metrics
from thresher.pipelines.builder import build
from thresher.pipelines.detection_recipes import DETECTION_RECIPES
from thresher.pipelines.label_recipes import LABEL_RECIPES
from thresher.pipelines.loading import built, parsed
from thresher.pipelines.recipe import PRIMARY, Recipe
from thresher.pipelines.text_recipes import TEXT_RECIPES
from thresher.results.suggestions import suggest

_FOLDER = files("thresher.pipelines") / "recipes"


RECIPES: dict[str, Recipe] = {**TEXT_RECIPES, **LABEL_RECIPES, **DETECTION_RECIPES}
"""The shipped recipes by name."""


def recipe_names() -> list[str]:
    """Names of the shipped recipes."""
    return sorted(RECIPES)


def recipe_text(name: str) -> str:
    """The YAML of a recipe.

    Raises:
        InputError: for an unknown recipe; lists the known ones.
    """
    if name not in RECIPES:
        known = recipe_names()
        raise InputError(f"no recipe is called {name!r}{suggest(name, known)}; there are {', '.join(known)}")
    return (_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")


def load_recipe(name: str, *, judged: bool = False) -> Pipeline:
    """A shipped recipe as a Haystack pipeline.

    Args:
        name: the recipe.
        judged: whether to add the judged metrics of a recipe that does not need a judge, such as `agent`.

    Raises:
        InputError: for an unknown recipe; lists the known ones.
    """
    pipeline = built(copy.deepcopy(_parsed_recipe(name)), f"recipe {name}")
    for metric in RECIPES[name].judged if judged else ():
        pipeline.add_component(metric, metric_class(metric)())
        pipeline.connect(f"{metric}.result", "collector.results")
    return pipeline


def named_pipeline(words: str, *, judged: bool = False) -> Pipeline:
    """Load a recipe by its name, or build a pipeline of metrics by their names.

    Args:
        words: for example `qa`, or `exact_match,token_f1`.
        judged: whether a recipe gets its judged metrics, as in `load_recipe`.

    Raises:
        InputError: for unknown names, with suggestions.
    """
    names = [name.strip() for name in words.split(",") if name.strip()]
    if names == [words] and words in RECIPES:
        return load_recipe(words, judged=judged)
    for name in names:
        if name in RECIPES:
            raise InputError(f"{name} is a recipe: run it alone, or list metrics only")
    if any(sign in words for sign in "(="):
        raise InputError(
            f"{words!r} sets options, which belong into a pipeline file; write one with "
            "`thresher.build([METRIC(OPTION=VALUE)]).dumps()`"
        )
    if len(names) != 1 or ":" in names[0] or names[0].endswith("Evaluator") or meanings(names[0]):
        return build(names)
    likely, recipes = suggest(words, [*RECIPES, *with_aliases(metric_names())]), ", ".join(recipe_names())
    if without := plugins_without_metrics():
        raise InputError(f"no recipe or metric is called {words!r}: {'; '.join(without)}")
    raise InputError(
        f"no recipe or metric is called {words!r}{likely}: choose one of {recipes}, "
        "metrics separated by commas (`thresher list`), or a file that ends in .yaml"
    )


def built_recipe_text(name: str) -> str:
    """The contents of a shipped recipe file: comments, and the YAML of the built pipeline."""
    recipe = RECIPES[name]
    head = [f"{name}: {recipe.purpose}.", f"thresher run {name} {recipe.data}"]
    primary = f"comparisons test {', '.join(recipe.primary)}"
    facts = {option: f"{option} is not the default" for option in recipe.reasons} | {PRIMARY: primary}
    head += [f"{facts[option]}: {reason}." for option, reason in recipe.reasons.items()]
    text = build(recipe.metrics(), primary=recipe.primary).dumps()
    return "".join(f"# {line}\n" for line in head) + text


@cache
def _parsed_recipe(name: str) -> Any:
    """A recipe's data, parsed once a process: PyYAML takes most of the time of loading one."""
    return parsed(recipe_text(name), f"recipe {name}")
