"""`thresher list`."""

import argparse

from thresher.cli.show import write
from thresher.components.catalogue import REQUIRED, Entry, catalogue
from thresher.pipelines.builder import MATCHES
from thresher.pipelines.library import RECIPES, load_recipe
from thresher.reports.rendering.text import json_text, plain_text
from thresher.reports.table import Table


def run(options: argparse.Namespace) -> int:
    """Show the recipes and the metrics, with the columns that each needs."""
    recipes = [(name, recipe.purpose, _needs_of_recipe(name)) for name, recipe in sorted(RECIPES.items())]
    metrics = catalogue()
    if options.format == "json":
        told = [
            {
                **dict(zip(("recipe", "purpose", "needs"), row, strict=True)),
                "primary": RECIPES[row[0]].primary,
            }
            for row in recipes
        ]
        write(None, json_text({"recipes": told, "metrics": [_data(entry) for entry in metrics]}))
        return 0
    rows = [(entry.family, entry.name, entry.summary, ", ".join(_columns(entry))) for entry in metrics]
    shown = (
        Table(
            ["recipe", "what it is for", "columns it needs"],
            [(*row[:2], ", ".join(row[2])) for row in recipes],
        ),
        Table(["family", "metric", "what it is", "columns it needs"], rows),
    )
    write(None, "\n\n".join(plain_text(table, width=90) for table in shown))
    return 0


def _data(entry: Entry) -> dict[str, object]:
    return {
        "metric": entry.name,
        "component": entry.class_name,
        "aliases": list(entry.aliases),
        "family": entry.family,
        "what": entry.summary,
        "needs": _columns(entry),
        "may_use": entry.optional,
        "options": {name: value for name, value in entry.options.items() if value is not REQUIRED},
        "required_options": [name for name, value in entry.options.items() if value is REQUIRED],
        "measures": [measure.name for measure in entry.measures],
        "primary": entry.primary,
        **{label.lower(): words for label, words in entry.facts.items()},
    }


def _columns(entry: Entry) -> list[str]:
    """The columns that a metric needs: `build` puts a DetectionMatcher before those that need matches."""
    if MATCHES not in entry.inputs:
        return list(entry.inputs)
    return ["predictions", "ground_truths", *(socket for socket in entry.inputs if socket != MATCHES)]


def _needs_of_recipe(name: str) -> list[str]:
    sockets = load_recipe(name).inputs().values()
    needed = [socket for facts in sockets for socket, fact in facts.items() if fact["is_mandatory"]]
    return list(dict.fromkeys(needed))
