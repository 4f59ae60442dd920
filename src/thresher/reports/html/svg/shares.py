"""Wins, ties and losses as parts of one bar."""

from markupsafe import Markup

from thresher.counted import counted
from thresher.reports.html.svg.elements import drawing, element

_WIDTH, _HEIGHT = 64.0, 8.0


def shares_bar(wins: int, ties: int, losses: int) -> Markup:
    """Draw three parts in proportion; without items the bar is empty."""
    total = wins + ties + losses
    parts, start = [], 0.0
    for count, tone in ((wins, "better"), (ties, "even"), (losses, "worse")):
        width = _WIDTH * count / total if total else 0.0
        if width:
            parts.append(element("rect", x=start, y=0, width=width, height=_HEIGHT, class_=f"part {tone}"))
        start += width
    return drawing(
        _WIDTH,
        _HEIGHT,
        f"{counted(wins, 'win')}, {counted(ties, 'tie')}, {counted(losses, 'loss', 'losses')}",
        *parts,
    )
