"""A change of the public API is a visible change of tests/public_api.txt.

After a change on purpose: `UPDATE_API=1 .venv/bin/pytest tests/test_public_api.py`. Renamed or removed names
go to CHANGELOG.md under *Names changed*. `make lists` sets `UPDATE_API=additions`, which only adds names.
"""

import difflib
import enum
import os
import types
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, overload

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from api_snapshot import described, public_names, snapshot
from public_modules import MODULES

STORED = Path(__file__).with_name("public_api.txt")
TOP = STORED.parents[1]


def test_the_public_api_is_the_stored_one():
    current, stored = snapshot(), STORED.read_text(encoding="utf-8")
    if updates(os.environ.get("UPDATE_API", ""), stored, current):
        STORED.write_text(current, encoding="utf-8")
        stored = current
    changed = "\n".join(
        difflib.unified_diff(stored.splitlines(), current.splitlines(), "stored", "current", "", "", 0, "")
    )
    assert not changed, (
        f"the public API changed; if on purpose: UPDATE_API=1 pytest {Path(__file__).name}\n{changed}"
    )


def updates(mode: str, stored: str, current: str) -> bool:
    """Whether the stored API is written anew; additions only if every stored line is still there."""
    if mode == "additions":
        return set(stored.splitlines()) <= set(current.splitlines())
    return bool(mode)


@pytest.mark.parametrize(
    ("mode", "current", "expected"),
    [("", "a\nb\nc", False), ("1", "b", True), ("additions", "a\nb\nc", True), ("additions", "a\nc", False)],
)
def test_additions_replace_no_public_name(mode, current, expected):
    assert updates(mode, "a\nb", current) is expected


def test_every_public_module_is_named_in_the_decision():
    decision = (TOP / "docs/decisions/0013-public-api.md").read_text(encoding="utf-8")
    assert [name for name in MODULES if f"`{name}`" not in decision] == []


class Shape(NamedTuple):
    sides: int
    name: str = "square"


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Base:
    def inherited(self) -> int:
        return 1

    def _private(self):
        return 1


class Box(Base):
    """One of everything."""

    def __init__(self, side: "float", *, fill: Colour | None = Colour.RED, marker=Base.inherited):
        self.side, self.fill, self.marker = side, fill, marker

    @property
    def area(self) -> float:
        return self.side**2

    @classmethod
    def cube(cls, side: int) -> "Box":
        return cls(side)

    @staticmethod
    def sides() -> list[Shape]:
        return []

    @overload
    def paint(self, times: int) -> int: ...
    @overload
    def paint(self, times: str) -> str: ...
    def paint(self, times):
        return times

    async def ship(self, *places: str, **options: int) -> None: ...


def test_a_class_is_described_by_its_constructor_and_its_public_members():
    assert list(described("api.Box", Box)) == [
        "api.Box(side: float, *, fill: Colour | None = Colour.RED, marker = ...)",
        "api.Box.area -> float",
        "api.Box.cube(side: int) -> Box",
        "api.Box.inherited() -> int",
        "api.Box.paint(times: int) -> int",
        "api.Box.paint(times: str) -> str",
        "async api.Box.ship(*places: str, **options: int)",
        "api.Box.sides() -> list[Shape]",
    ]


def test_named_tuples_and_enumerations_are_described_by_what_they_hold():
    assert next(described("api.Shape", Shape)) == "api.Shape(sides: int, name: str = 'square')"
    assert list(described("api.Colour", Colour)) == ["api.Colour: RED, BLUE"]


def cut(
    weights: ArrayLike | None = (1, 0.5), places: NDArray[np.int64] | None = None
) -> Mapping[str, ArrayLike]:
    """Types that each release of numpy spells out in its own way."""


def test_types_of_numpy_have_their_names():
    assert list(described("api.cut", cut)) == [
        (
            "api.cut(weights: ArrayLike | None = (1, 0.5), places: NDArray[int64] | None = None)"
            " -> Mapping[str, ArrayLike]"
        )
    ]


def test_a_module_without_a_list_is_described_by_what_it_defines():
    module = types.ModuleType(Box.__module__)
    module.Box, module._Hidden, module.Path = Box, Base, Path
    assert public_names(module) == ["Box"]
