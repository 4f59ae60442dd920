"""Rows of the table of promised bounds: what is measured, the peers, and the bound."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Unit = Literal["s", "MB", "ms an image", "ms a call"]


@dataclass
class Side:
    """One package's figure.

    Attributes:
        name: package and version, or what of Thresher was measured.
        figure: in the unit of the row; None if the package is not installed or gives no such figure.
        note: anything else worth a line, for example processor seconds or how much the numbers differ.
        missing: the command that installs the package; empty if it is installed.
    """

    name: str
    figure: float | None
    note: str = ""
    missing: str = ""


@dataclass
class Row:
    """One promise, its measurement and its peers.

    Attributes:
        name: what is done.
        command: how to measure this row again.
        unit: of all figures of the row.
        ours: Thresher's figure.
        peers: other packages on the same data in the same run.
        most: the promised figure; None if only ratios are promised, or nothing is.
        times: a peer's figure divided by ours must reach this; by the start of the peer's name.
    """

    name: str
    command: str
    unit: Unit
    ours: Side
    peers: list[Side] = field(default_factory=list)
    most: float | None = None
    times: Mapping[str, float] = field(default_factory=dict)

    @property
    def bound(self) -> str:
        """The promise in words; empty if there is none."""
        parts = [] if self.most is None else [f"at most {self.most:g} {self.unit}"]
        for peer, ratio in self.times.items():
            parts.append(f"{ratio:g} times as fast as {peer}" if ratio > 1 else f"not slower than {peer}")
        return ", ".join(parts)

    @property
    def met(self) -> bool | None:
        """Whether the bound is met; None if that depends on a peer which was not measured, or without one."""
        ours = self.ours.figure
        if ours is None or not self.bound:
            return None
        verdicts: list[bool | None] = [] if self.most is None else [ours <= self.most]
        for name, ratio in self.times.items():
            figure = next((peer.figure for peer in self.peers if peer.name.startswith(name)), None)
            verdicts.append(None if figure is None else figure >= ratio * ours)
        if False in verdicts:
            return False
        return None if None in verdicts else True

    def ratio(self, peer: Side) -> float | None:
        """A peer's figure divided by ours."""
        return peer.figure / self.ours.figure if peer.figure and self.ours.figure else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, with the verdict."""
        return {**asdict(self), "bound": self.bound, "met": self.met}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Row":
        """Make a row of the data of `to_dict`."""
        names = ("name", "command", "unit", "most", "times")
        sides = [Side(**data["ours"]), [Side(**peer) for peer in data["peers"]]]
        return cls(ours=sides[0], peers=sides[1], **{name: data[name] for name in names})


def show(row: Row, *, decided: bool = True) -> str:
    """Return the lines that a row prints; without a verdict if the data are small."""
    verdict = {True: "met", False: "MISSED", None: "not decided: a peer is missing"}[row.met]
    verdict = verdict if decided else "for the full size"
    bound = f"{row.bound} ({verdict})" if row.bound else "none"
    lines = [row.name, f"  bound: {bound}", f"  command: {row.command}"]
    for side in (row.ours, *row.peers):
        if side.figure is None:
            lines.append(
                f"  {side.name:<34} {f'not installed: {side.missing}' if side.missing else side.note}"
            )
            continue
        ratio = "" if side is row.ours else f"{row.ratio(side):.3g} x"
        lines.append(
            f"  {side.name:<34} {number(side.figure):>8} {row.unit:<11} {ratio:>8}  {side.note}".rstrip()
        )
    return "\n".join(lines)


def number(figure: float) -> str:
    """Three digits, without an exponent.

    >>> number(0.01234), number(401.2), number(2.0)
    ('0.0123', '401', '2.00')
    """
    decimals = 0 if figure >= 100 else 1 if figure >= 10 else 2 if figure >= 1 else 3
    return f"{figure:.{decimals}f}" if figure >= 0.1 else f"{figure:.3g}"
