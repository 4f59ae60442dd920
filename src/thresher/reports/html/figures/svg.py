"""Building SVG: whatever stands in an attribute or between tags is escaped."""

from markupsafe import Markup, escape


def element(tag: str, *children: object, **attributes: object) -> Markup:
    """One element; `class_` is written `class`, underscores are hyphens, None is left out.

    >>> element("text", "a < b", x=1.0, class_="tick")
    Markup('<text x="1" class="tick">a &lt; b</text>')
    """
    told = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    inner = "".join(escape(child) for child in children)
    return Markup(f"<{tag}{told}>{inner}</{tag}>")  # noqa: S704  # all parts are escaped above


def drawing(width: float, height: float, label: str, *children: object) -> Markup:
    """A whole drawing, which a screen reader tells by its label."""
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
    """The `d` of straight lines through the points.

    >>> path([(0, 1), (2.5, 3)])
    'M0 1L2.5 3'
    """
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points)


def _attribute(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(escape(value))
