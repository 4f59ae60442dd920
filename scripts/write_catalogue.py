"""Write docs/metrics.md from the components: python scripts/write_catalogue.py."""

from pathlib import Path

from thresher.components.catalogue import Entry, catalogue

PAGE = Path(__file__).parent.parent / "docs" / "metrics.md"
HEAD = """# Metrics

Every metric is a Haystack component; `build`, `evaluate` and the command line take its short name. This page
is made from the components by `python scripts/write_catalogue.py`.
"""


def text() -> str:
    """The whole page."""
    parts, family = [HEAD], ""
    for entry in catalogue():
        if entry.family != family:
            family = entry.family
            parts.append(f"## {family}\n")
        parts.append(section(entry))
    return "\n".join(parts)


def section(entry: Entry) -> str:
    """One metric."""
    measures = [
        f"`{each.name}` ({bounds(each.bounds)}, {each.direction} is better)" for each in entry.measures
    ]
    rows = [
        ("component", f"`{entry.class_name}`"),
        ("inputs", ", ".join(f"`{socket}`" for socket in entry.inputs)),
        ("may use", ", ".join(f"`{socket}`" for socket in entry.optional)),
        ("reports", "; ".join(measures)),
        *((label.lower(), words) for label, words in entry.facts.items()),
    ]
    bar = "\\|"
    table = "\n".join(f"| {label} | {words.replace('|', bar)} |" for label, words in rows if words)
    return f"### `{entry.name}`\n\n{entry.summary}\n\n| | |\n|---|---|\n{table}\n"


def bounds(limits: tuple[float, float]) -> str:
    """A range as people write it."""
    low, high = (f"{limit:g}".replace("inf", "∞") for limit in limits)
    return f"{low} to {high}"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
