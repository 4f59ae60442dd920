"""Write docs/metrics.md and the README's table of metrics from the components."""

from pathlib import Path

from haystack import Pipeline
from haystack.core.serialization import component_to_dict

from thresher.components import metric_names
from thresher.components.catalogue import REQUIRED, Entry, catalogue
from thresher.pipelines.library import RECIPES, load_recipe

TOP = Path(__file__).parent.parent
PAGE, README = TOP / "docs" / "metrics.md", TOP / "README.md"
MARKS = "<!-- metrics: python scripts/write_catalogue.py -->", "<!-- end of metrics -->"
RECIPES_HEAD = """## Recipes

A recipe uses the defaults of its metrics, except where the table gives a reason. Comparisons test its primary
measures ([statistics](statistics.md)).

| recipe | for | metrics | primary measures | options other than the defaults |
|---|---|---|---|---|"""
HEAD = """# Metrics

Every metric is a Haystack component; `build`, `evaluate` and the command line take its short name, and the
other names under "also called", which lead to it. The family may be left out (`ndcg`) where one metric is meant. This
page is made from the components by `python scripts/write_catalogue.py`.
"""


def text() -> str:
    """Return the whole page."""
    parts, family = [HEAD], ""
    for entry in catalogue():
        if entry.family != family:
            family = entry.family
            parts.append(f"## {family}\n")
        parts.append(section(entry))
    return "\n".join([*parts, recipes()])


def recipes() -> str:
    """Return the table of recipes."""
    rows = []
    for name, recipe in sorted(RECIPES.items()):
        pipeline = load_recipe(name)
        metrics = ", ".join(f"`{part}`" for part in sorted(pipeline.graph.nodes) if part in metric_names())
        if recipe.judged:
            metrics += f"; with a judge also {', '.join(f'`{part}`' for part in recipe.judged)}"
        reasons = dict(recipe.reasons)
        primary = (
            f"{', '.join(f'`{measure}`' for measure in recipe.primary)}: {reasons.pop('collector.primary')}"
        )
        options = "; ".join(
            f"`{option}={_option(pipeline, option)!r}`: {reason}" for option, reason in reasons.items()
        )
        rows.append(f"| `{name}` | {recipe.purpose} | {metrics} | {primary} | {options or 'none'} |")
    return "\n".join([RECIPES_HEAD, *rows, ""])


def _option(pipeline: Pipeline, option: str) -> object:
    """The value of `component.option` in a pipeline."""
    part, name = option.split(".")
    return component_to_dict(pipeline.get_component(part), part)["init_parameters"][name]


def section(entry: Entry) -> str:
    """Return the section of one metric."""
    measures = [
        f"`{measure.name}` ({bounds(measure.bounds)}, {measure.direction} is better)"
        for measure in entry.measures
    ]
    rows = [
        ("component", f"`{entry.class_name}`"),
        ("also called", ", ".join(f"`{alias}`" for alias in entry.aliases)),
        ("inputs", ", ".join(f"`{socket}`" for socket in entry.inputs)),
        ("may use", ", ".join(f"`{socket}`" for socket in entry.optional)),
        ("reports", "; ".join(measures)),
        ("primary", ", ".join(f"`{name}`" for name in entry.primary) if len(measures) > 1 else ""),
        ("options and defaults", "; ".join(f"`{option}`" for option in options(entry))),
        *((label.lower(), words) for label, words in entry.facts.items()),
    ]
    bar = "\\|"
    table = "\n".join(f"| {label} | {words.replace('|', bar)} |" for label, words in rows if words)
    return f"### `{entry.name}`\n\n{entry.summary}\n\n| | |\n|---|---|\n{table}\n"


def options(entry: Entry) -> list[str]:
    """Return the options of a metric with their defaults."""
    return [
        f"{name} (required)" if default is REQUIRED else f"{name}={default!r}"
        for name, default in entry.options.items()
    ]


def bounds(limits: tuple[float, float]) -> str:
    """Format a range."""
    low, high = (f"{limit:g}".replace("inf", "∞") for limit in limits)
    return f"{low} to {high}"


def readme() -> str:
    """Return the README with its table of metrics."""
    before, _, rest = README.read_text(encoding="utf-8").partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    rows = []
    for entry in catalogue():
        link = f"[`{entry.name}`](docs/metrics.md#{entry.name})"
        rows.append(f"| {link} | {entry.family} | {sockets(entry)} | {reported(entry)} |")
    head = "| metric | family | needs | range, better |\n|---|---|---|---|"
    return f"{before}{MARKS[0]}\n{head}\n" + "\n".join(rows) + f"\n{MARKS[1]}{after}"


def sockets(entry: Entry) -> str:
    """The columns that a metric needs."""
    return ", ".join(f"`{socket}`" for socket in entry.inputs)


def reported(entry: Entry) -> str:
    """Range and direction of the headline measure."""
    first = entry.measures[0]
    return f"{bounds(first.bounds)}, {first.direction}"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
    README.write_text(readme(), encoding="utf-8")
