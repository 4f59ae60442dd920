"""`thresher list`."""

import argparse
import shutil
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest
from typing import NamedTuple

from thresher.cli.show import write
from thresher.cli.streams import print_data
from thresher.components.catalogue import REQUIRED, Entry, catalogue
from thresher.errors import InputError, PluginWarning
from thresher.metrics.registry import plugins_without_metrics
from thresher.pipelines.builder import MATCHES
from thresher.pipelines.library import RECIPES
from thresher.reports.rendering.text import json_text
from thresher.reports.table import Table
from thresher.results.suggestions import suggest

_MOST_COLUMNS = 100
"""Longer lines of prose are hard to read; also the width in a pipe or a file."""


def run(options: argparse.Namespace) -> int:
    """Show recipes and metrics with the columns that each needs."""
    recipes = [(name, recipe.purpose, list(recipe.needs)) for name, recipe in sorted(RECIPES.items())]
    metrics = catalogue()
    if options.names:
        _check_names(options.names, metrics)
        recipes = [recipe for recipe in recipes if recipe[0] in options.names]
        metrics = [entry for entry in metrics if {*_names(entry)} & {*options.names}]
    for sentence in plugins_without_metrics():
        warnings.warn(sentence, PluginWarning, stacklevel=1)
    if options.format == "json":
        data = [
            {"recipe": name, "purpose": purpose, "needs": needs, "primary": RECIPES[name].primary}
            for name, purpose, needs in recipes
        ]
        write(None, json_text({"recipes": data, "metrics": [_data(entry) for entry in metrics]}))
        return 0
    rows = [
        _Row("recipe", name, f"{purpose[:1].upper()}{purpose[1:]}.", needs)
        for name, purpose, needs in recipes
    ]
    rows += [_Row(entry.family, entry.name, entry.summary, _columns(entry)) for entry in metrics]
    if options.format == "csv":
        table = Table(_Row._fields, [row._replace(needs=", ".join(row.needs)) for row in rows])
        print_data(table.to_csv().rstrip())
    else:
        write(None, "\n".join(_lines(rows)))
    return 0


def _check_names(names: Sequence[str], metrics: Sequence[Entry]) -> None:
    known = dict.fromkeys([*RECIPES, *(name for entry in metrics for name in _names(entry))])
    for name in names:
        if name not in known:
            raise InputError(
                f"no recipe, metric, family or package is called {name!r}{suggest(name, known)}; "
                "`thresher list` without names lists all"
            )


def _names(entry: Entry) -> tuple[str, ...]:
    """What lists a metric: name, aliases, and family, whole (judged/valor) or its first part (judged)."""
    return (entry.name, *entry.aliases, entry.family, entry.family.partition("/")[0])


class _Row(NamedTuple):
    """A recipe or a metric; family `recipe` or that of the metric."""

    family: str
    name: str
    summary: str
    needs: Sequence[str]


def _lines(rows: Sequence[_Row]) -> Iterator[str]:
    """One section per family. Its title names the columns if all its metrics need the same."""
    width = min(shutil.get_terminal_size((_MOST_COLUMNS, 24)).columns, _MOST_COLUMNS)
    yield from textwrap.wrap("Run a recipe or metrics: thresher run NAME[,NAME...] --data FILE", width)
    for family, group in groupby(rows, lambda row: row.family):
        members = list(group)
        shared = members[0].needs if all(set(row.needs) == set(members[0].needs) for row in members) else ()
        title = "recipes" if family == "recipe" else f"metrics: {family}"
        needed = f" (need {', '.join(shared)})" if shared else ""
        yield from ("", *textwrap.wrap(f"{title}{needed}", width))
        indent = max(len(row.name) for row in members) + 4
        for row in members:
            needs = "" if shared else f" Needs {', '.join(row.needs)}."
            yield from _wrapped(row.name, f"{row.summary}{needs}", indent, width)


def _wrapped(name: str, text: str, indent: int, width: int) -> Iterator[str]:
    """The text next to the name, or below it if the name takes more than half of the width."""
    if indent > width // 2:
        yield f"  {name}"
        yield from textwrap.wrap(text, width, initial_indent=" " * 6, subsequent_indent=" " * 6)
        return
    lines = textwrap.wrap(text, width - indent, break_on_hyphens=False)
    yield from (f"{head:<{indent}}{line}" for head, line in zip_longest([f"  {name}"], lines, fillvalue=""))


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
    """Columns that a metric needs: `build` adds a DetectionMatcher for those that need matches."""
    if MATCHES not in entry.inputs:
        return list(entry.inputs)
    return ["predictions", "ground_truths", *(socket for socket in entry.inputs if socket != MATCHES)]
