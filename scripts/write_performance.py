"""Write the table and the picture of docs/performance.md from figures of benchmarks/promises.py.

python benchmarks/promises.py --json FILE
python scripts/write_performance.py FILE
"""

import json
import math
import sys
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from thresher.reports.html.svg.elements import element

TOP = Path(__file__).parent.parent
PAGE, PICTURE = TOP / "docs" / "performance.md", TOP / "docs" / "images" / "performance.svg"
BEGIN, END = "<!-- measured by benchmarks/promises.py -->", "<!-- end of the measured table -->"
VERDICTS = {True: "yes", False: "no", None: "a peer is missing"}
STYLE = """
text { font: 12px sans-serif; fill: #1f2933 } .title { font-size: 14px; font-weight: bold }
.quiet { fill: #52606d } .ground { fill: #ffffff } .met { fill: #00796b } .missed { fill: #c0392b }
.peer { fill: #829ab1 } .bound { stroke: #b7791f; stroke-width: 2 } .rail { stroke: #d9e2ec }
@media (prefers-color-scheme: dark) {
text { fill: #e4e7eb } .quiet { fill: #9aa5b1 } .ground { fill: #1f2933 } .met { fill: #4db6ac }
.missed { fill: #ef8379 } .peer { fill: #627d98 } .bound { stroke: #f0b429 } .rail { stroke: #3e4c59 } }
"""
WIDTH, LEFT, RIGHT, LINE = 980.0, 500.0, 820.0, 19.0
LABEL = 76


class Bar(NamedTuple):
    """A line of the picture; places are from 0 to 1."""

    label: str
    end: float
    bound: float | None
    value: str
    look: str


def table(data: dict[str, Any]) -> str:
    """Return the rows as Markdown, after a sentence about the machine."""
    versions = ", ".join(f"{name} {data[name]}" for name in ("python", "numpy", "haystack-ai"))
    alternative = "Bars of Thresher's figures, the promised bounds and the peers' figures"
    lines = [
        f"![{alternative}](images/{PICTURE.name})",
        "",
        f"Measured on {data['date']} with Thresher {data['thresher']}: {data['machine']}; {versions}; by",
        f"`{data['command']}`.",
        "",
        "| what | promised | Thresher | peers in the same run | met |",
        "|---|---|---|---|---|",
    ]
    for row in data["rows"]:
        peers = "<br>".join(_peer(row, peer) for peer in row["peers"]) or "-"
        promise = (row["bound"], VERDICTS[row["met"]]) if row["bound"] else ("-", "-")
        cells = [row["name"], promise[0], _figure(row, row["ours"]), peers, promise[1]]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _figure(row: dict[str, Any], side: dict[str, Any]) -> str:
    return "-" if side["figure"] is None else f"{_number(side['figure'])} {row['unit']}"


def _peer(row: dict[str, Any], peer: dict[str, Any]) -> str:
    if peer["figure"] is None:
        return f"{peer['name']}: {peer['note'] or 'not installed'}"
    return f"{peer['name']}: {_figure(row, peer)} ({peer['figure'] / row['ours']['figure']:.3g} x)"


def _number(figure: float) -> str:
    decimals = 0 if figure >= 100 else 1 if figure >= 10 else 2  # noqa: PLR2004  # three digits
    return f"{figure:.{decimals}f}" if figure >= 1 else f"{figure:.2g}"


def picture(rows: list[dict[str, Any]]) -> Markup:
    """Return the drawing: what Thresher needs of each bound, and how many times as long peers take."""
    own, bounds = _shares(rows), _ratios(rows)
    y = 24.0
    parts = [element("text", "Thresher's part of the promised time or memory", x=12.0, y=y, class_="title")]
    drawn, y = _panel(own, y)
    parts += drawn
    y += 40
    parts.append(
        element("text", "How many times as long as Thresher (logarithmic)", x=12.0, y=y, class_="title")
    )
    drawn, y = _panel(bounds, y)
    legend = "A line across a bar is the promised bound. Red: the bound is missed."
    parts += [*drawn, element("text", legend, x=12.0, y=y + 26, class_="quiet")]
    height = y + 40
    ground = element("rect", width=WIDTH, height=height, class_="ground")
    label = "Measured figures, promised bounds and peers; the table has the same numbers"
    return element(
        "svg", element("title", label), element("style", Markup(STYLE)), ground, *parts,  # noqa: S704  # constant
        xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {WIDTH:g} {height:g}", role="img", aria_label=label,
    )  # fmt: skip


def _shares(rows: list[dict[str, Any]]) -> list[Bar]:
    """Thresher's figures by the promised ones, on a scale up to twice the bound."""
    bars = []
    for row in rows:
        figure = row["ours"]["figure"]
        if row["most"] is None or figure is None:
            continue
        share = max(figure, 0) / row["most"]
        value = f"{_number(figure)} of {row['most']:g} {row['unit']}"
        look = "met" if share <= 1 else "missed"
        bars.append(Bar(row["name"], min(share / 2, 1), 0.5, value, look))
    return bars


def _ratios(rows: list[dict[str, Any]]) -> list[Bar]:
    """Each measured peer's figure by ours; the scale has logarithms from 1 to the largest ratio."""
    ratios = [
        (row, peer, peer["figure"] / row["ours"]["figure"])
        for row in rows
        if row["ours"]["figure"]
        for peer in row["peers"]
        if peer["figure"]
    ]
    widest = math.log(max((ratio for _, _, ratio in ratios), default=10))
    bars = []
    for row, peer, ratio in ratios:
        promised = next(
            (times for name, times in row["times"].items() if peer["name"].startswith(name)), None
        )
        bound = None if promised is None else min(math.log(promised) / widest, 1)
        look = "peer" if promised is None or ratio >= promised else "missed"
        end = min(max(math.log(ratio) / widest, 0.004), 1)
        label = f"{row['name'].partition(':')[0]}: {peer['name']}"
        bars.append(Bar(label, end, bound, f"{ratio:.3g} x", look))
    return bars


def _panel(bars: list[Bar], y: float) -> tuple[list[Markup], float]:
    parts: list[Markup] = []
    for bar in bars:
        y += LINE
        end = LEFT + (RIGHT - LEFT) * bar.end
        label = bar.label if len(bar.label) <= LABEL else f"{bar.label[: LABEL - 1]}…"
        parts += [
            element("text", label, x=12.0, y=y),
            element("line", x1=LEFT, x2=RIGHT, y1=y - 4, y2=y - 4, class_="rail"),
            element("rect", x=LEFT, y=y - 10, width=end - LEFT, height=12.0, class_=bar.look),
            element("text", bar.value, x=RIGHT + 12, y=y, class_="quiet"),
        ]
        if bar.bound is not None:
            place = LEFT + (RIGHT - LEFT) * bar.bound
            parts.append(element("line", x1=place, x2=place, y1=y - 13, y2=y + 5, class_="bound"))
    return parts, y


def main() -> None:
    """Replace the table of the page and the picture."""
    data = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{table(data)}\n{END}{after}", encoding="utf-8")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(f"{picture(data['rows'])}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
