"""`thresher list`."""

import argparse
import inspect
from typing import Any

from thresher.cli.show import write
from thresher.components import metric_class, metric_names
from thresher.pipelines.library import RECIPES, load_recipe
from thresher.reports.render import json_text, plain_text
from thresher.reports.table import Table


def run(options: argparse.Namespace) -> int:
    """Show the recipes and the metrics, with the columns that each needs."""
    recipes = [(name, purpose, _needs_of_recipe(name)) for name, (purpose, _) in sorted(RECIPES.items())]
    metrics = [(name, _summary(name), _needs(name)) for name in metric_names()]
    tables = {
        "recipes": Table(["recipe", "what it is for", "columns it needs"], recipes),
        "metrics": Table(["metric", "what it is", "columns it needs"], metrics),
    }
    if options.format == "json":
        write(None, json_text({key: list(table) for key, table in tables.items()}))
        return 0
    write(None, "\n\n".join(plain_text(table, width=90) for table in tables.values()))
    return 0


def _needs_of_recipe(name: str) -> str:
    sockets = load_recipe(name).inputs().values()
    needed = [socket for facts in sockets for socket, fact in facts.items() if fact["is_mandatory"]]
    return ", ".join(dict.fromkeys(needed))


def _needs(name: str) -> str:
    parameters = inspect.signature(metric_class(name).run).parameters.values()
    needed = [each.name for each in parameters if each.name != "self" and each.default is each.empty]
    return ", ".join("a column of scores" if each == "columns" else each for each in needed)


def _summary(name: str) -> str:
    """The first sentence of the class docstring."""
    text: Any = inspect.getdoc(metric_class(name)) or ""
    return " ".join(text.split("\n\n")[0].split())
