"""The sections of the page in their order, and the links to them."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.errors import InputError
from thresher.results.suggestions import suggest

SECTIONS = {
    "gate": "Gate",
    "leaderboard": "Leaderboard",
    "comparison": "Comparison",
    "overview": "Overview",
    "slices": "Slices",
    "pictures": "Pictures",
    "labels": "Labels",
    "keypoints": "Keypoints",
    "figures": "Figures",
    "tables": "Tables",
    "distributions": "Distributions",
    "breakdowns": "Breakdowns",
    "thresholds": "Thresholds",
    "items": "Items",
    "provenance": "Provenance",
}
"""Name of a section, which is the name of its template -> its heading."""


def check_sections(names: Sequence[str]) -> None:
    """Raise unless all names are names of sections.

    Raises:
        InputError: for an unknown name, or one name instead of a list.
    """
    if isinstance(names, str):
        raise InputError(f"sections={names!r} is one name; give a list of names: [{names!r}]")
    for name in names:
        if name not in SECTIONS:
            known = ", ".join(SECTIONS)
            raise InputError(f"no section {name!r}{suggest(str(name), SECTIONS)}; there are {known}")


def contents(context: Mapping[str, Any], names: Sequence[str] | None) -> dict[str, Any]:
    """Return the sections to show, and the links to them.

    Args:
        context: what the sections show; one without content is left out.
        names: names of the sections in their order; None for all.
    """
    filled = {
        **{name: context.get(name) for name in SECTIONS},
        "comparison": context.get("differences"),
        "thresholds": context["items"]["sliders"],
        "items": context["items"]["payload"],
    }
    shown = [name for name in (SECTIONS if names is None else names) if filled[name]]
    return {"sections": shown, "links": [link for name in shown for link in _links(name, context)]}


def _links(name: str, context: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the address in the page and the text of each link to a section."""
    if name == "tables":
        return [(f"#table-{place}", title) for place, title in enumerate(context["tables"], start=1)]
    return [(f"#{name}", SECTIONS[name])]
