"""SVG elements; every attribute and text is escaped."""

from markupsafe import Markup, escape

COLOURS = 8
"""Colours of runs and of lines in the style sheet; further runs reuse them and differ by their letters."""


def run_class(run: int) -> str:
    """Return the CSS class with the colour of a run."""
    return f"run-{run % COLOURS}"


def element(tag: str, *children: object, **attributes: object) -> Markup:
    """Return one element; `class_` is written `class`, underscores as hyphens, None is left out.

    >>> element("text", "a < b", x=1.0, class_="tick")
    Markup('<text x="1" class="tick">a &lt; b</text>')
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    inner = "".join(escape(child) for child in children)
    return Markup(f"<{tag}{written}>{inner}</{tag}>")  # noqa: S704  # all parts are escaped above


def drawing(width: float, height: float, label: str, *children: object) -> Markup:
    """Return a whole drawing; screen readers read its label."""
    return element(
        "svg",
        element("title", label),
        *children,
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
    )


def path(points: list[tuple[float, float]]) -> str:
    """Return the `d` of straight lines through the points.

    >>> path([(0, 1), (2.5, 3)])
    'M0 1L2.5 3'
    """
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points)


def _attribute(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(escape(value))
