"""The HTML file from templates, style and script, with a policy that forbids everything else."""

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from thresher.reports.html.numbers import breakable, letter
from thresher.visible_text import visible

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = Path(__file__).parent
STYLE = ("page.css", "figures.css", "controls.css", "items.css", "pictures.css", "media.css")
SCRIPT = (
    "elements.js",
    "theme.js",
    "pairs.js",
    "items.js",
    "search.js",
    "columns.js",
    "facets.js",
    "filters.js",
    "view.js",
    "grid.js",
    "words.js",
    "excerpts.js",
    "quotes.js",
    "evidence.js",
    "claims.js",
    "objects.js",
    "answers.js",
    "passages.js",
    "conversation.js",
    "parts.js",
    "details.js",
    "threshold.js",
    "threshold_sources.js",
    "cutchart.js",
    "thresholds.js",
    "csv.js",
    "export.js",
    "toolbar.js",
    "outcomes.js",
    "picture_drawing.js",
    "object_form.js",
    "pair_form.js",
    "card_form.js",
    "picture_filters.js",
    "picture_dialog.js",
    "pictures.js",
    "main.js",
)
"""The parts of the script in the order of the file; they share the scope of one function."""


def page(context: dict[str, Any]) -> str:
    """Render the whole file.

    Args:
        context: the variables of `templates/report.html.jinja`.
    """
    style, script = _asset(STYLE), f'(() => {{\n"use strict";\n{_asset(SCRIPT)}}})();\n'
    template = _environment().get_template("report.html.jinja")
    text = template.render(
        **context,
        policy=policy(style, script),
        style=Markup(style),  # noqa: S704  # files of this package
        script=Markup(script),  # noqa: S704
    )
    return visible(text)  # of data that is not packed, such as names


@cache
def _environment() -> "Environment":
    """The templates, which are compiled once a process: that takes longer than filling them in."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["letter"] = letter
    environment.filters["breakable"] = breakable
    return environment


def policy(style: str, script: str) -> str:
    """Return the content security policy: nothing is loaded, and only this style and script are allowed."""
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _asset(names: tuple[str, ...]) -> str:
    return "".join((_HERE / "assets" / name).read_text(encoding="utf-8") for name in names)
