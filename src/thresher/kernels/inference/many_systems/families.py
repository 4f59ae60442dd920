"""Families of contrasts: all pairs, against a baseline, effects of the parameters of a grid."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError

Floats = npt.NDArray[np.float64]


def all_pairs(systems: int) -> Floats:
    """Second minus first system for every pair, in the order of `itertools.combinations`.

    >>> all_pairs(3).tolist()
    [[-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0], [0.0, -1.0, 1.0]]
    """
    rows = np.zeros((systems * (systems - 1) // 2, systems))
    for row, (first, second) in enumerate(combinations(range(systems), 2)):
        rows[row, [first, second]] = -1.0, 1.0
    return rows


def against(systems: int, baseline: int) -> Floats:
    """Every other system minus the baseline, in the order of the systems.

    >>> against(3, 1).tolist()
    [[1.0, -1.0, 0.0], [0.0, -1.0, 1.0]]
    """
    rows = np.delete(np.eye(systems), baseline, axis=0)
    rows[:, baseline] = -1.0
    return rows


@dataclass(frozen=True)
class Effect:
    """The effect of changing one parameter.

    Attributes:
        factor: name of the parameter.
        before: its first value.
        after: its second value; the effect is second minus first.
        configurations: number of configurations that have one of the two values.
    """

    factor: str
    before: Any
    after: Any
    configurations: int


@dataclass(frozen=True, eq=False)
class FactorEffects:
    """Main effects of the parameters of a grid as contrasts of its configurations.

    Attributes:
        effects: one per row.
        matrix: effects x configurations.
        interactions: one row per configuration for `interaction`: the configuration minus what the additive
            model predicts; zeros if the model fits it exactly, no rows if it fits all.
    """

    effects: tuple[Effect, ...]
    matrix: Floats
    interactions: Floats


def factor_effects(
    settings: Sequence[Mapping[str, Any]], *, levels: Literal["adjacent", "all"] = "adjacent"
) -> FactorEffects:
    """Effects of each parameter in the additive model of a grid, complete or not.

    Parameters that do not vary are ignored; a configuration that lacks a parameter has the value None.
    Numbers are ordered by size, other values by first occurrence.

    Formula: rows of L (X'X)^-1 X' for the additive design X of the configurations; in a complete grid the
        difference of the means of all configurations with the one and with the other value

    Args:
        settings: per configuration the values of its parameters.
        levels: `adjacent` for neighbouring values of each parameter, `all` for all pairs of values.

    Raises:
        InputError: if two parameters only vary together, so that their effects cannot be separated.

    >>> grid = factor_effects([{"k": k, "c": c} for k in (3, 5) for c in ("a", "b")])
    >>> grid.effects[0], grid.matrix[0].round(9).tolist()
    (Effect(factor='k', before=3, after=5, configurations=4), [-0.5, -0.5, 0.5, 0.5])
    """
    names = dict.fromkeys(name for row in settings for name in row)
    factors = {name: _levels(settings, name) for name in names}
    varying = {name: values for name, values in factors.items() if len(values) > 1}
    columns = {name: _columns(settings, name, list(values)) for name, values in varying.items()}
    design = np.hstack([np.ones((len(settings), 1)), *columns.values()])
    _check_separable(design, columns)
    solve = np.linalg.pinv(design)
    effects, rows, start = [], [], 1
    for name, values in varying.items():
        coefficients = np.vstack([np.zeros(len(settings)), solve[start : start + len(values) - 1]])
        start += len(values) - 1
        for first, second in _level_pairs(len(values), levels):
            codes = list(values)
            count = sum(_code(row.get(name)) in (codes[first], codes[second]) for row in settings)
            effects.append(Effect(name, values[codes[first]], values[codes[second]], count))
            rows.append(coefficients[second] - coefficients[first])
    matrix = _rounded(np.array(rows).reshape(len(rows), len(settings)))
    return FactorEffects(tuple(effects), matrix, _residual_rows(design, solve))


def _levels(settings: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    """Code -> value of each level, in order."""
    values: dict[str, Any] = {_code(row.get(name)): row.get(name) for row in settings}
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values.values()):
        return {code: values[code] for code in sorted(values, key=lambda code: float(values[code]))}
    return values


def _code(value: Any) -> str:
    """Text that identifies a value, which may be a list or a mapping."""
    return json.dumps(value, sort_keys=True, default=repr)


def _columns(settings: Sequence[Mapping[str, Any]], name: str, codes: Sequence[str]) -> Floats:
    """Indicators of all levels but the first: configurations x levels."""
    own = [_code(row.get(name)) for row in settings]
    return np.array([[float(code == level) for level in codes[1:]] for code in own])


def _check_separable(design: Floats, columns: Mapping[str, Floats]) -> None:
    rank = np.linalg.matrix_rank(design)
    if rank == design.shape[1]:
        return
    mixed = []
    for name, own in columns.items():
        others = [block for other, block in columns.items() if other != name]
        without = np.hstack([np.ones((len(design), 1)), *others])
        if rank - np.linalg.matrix_rank(without) < own.shape[1]:
            mixed.append(name)
    raise InputError(
        f"the configurations cannot separate the effects of {', '.join(mixed)}, which vary together; "
        "add configurations that change one of them alone"
    )


def _level_pairs(number: int, levels: str) -> list[tuple[int, int]]:
    if levels == "all":
        return list(combinations(range(number), 2))
    return [(place, place + 1) for place in range(number - 1)]


def _residual_rows(design: Floats, solve: Floats) -> Floats:
    """Rows I - X X^+ of a model that leaves degrees of freedom; none otherwise."""
    size = len(design)
    if np.linalg.matrix_rank(design) >= size:
        return np.zeros((0, size))
    return _rounded(np.eye(size) - design @ solve)


def _rounded(rows: Floats) -> Floats:
    """Rounding errors of 0 become 0, so that a row names only the systems that it uses."""
    return np.where(np.abs(rows) < 1e-12, 0.0, rows)  # noqa: PLR2004
