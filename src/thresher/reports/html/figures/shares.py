"""Wins, ties and losses as parts of one bar."""

from markupsafe import Markup

from thresher.reports.html.figures.svg import drawing, element

WIDTH, HEIGHT = 64.0, 8.0


def bar(wins: int, ties: int, losses: int) -> Markup:
    """Three parts in proportion; nothing is drawn for no items."""
    total = wins + ties + losses
    parts, start = [], 0.0
    for count, tone in ((wins, "better"), (ties, "even"), (losses, "worse")):
        width = WIDTH * count / total if total else 0.0
        if width:
            parts.append(element("rect", x=start, y=0, width=width, height=HEIGHT, class_=f"part {tone}"))
        start += width
    return drawing(WIDTH, HEIGHT, f"{wins} wins, {ties} ties, {losses} losses", *parts)
