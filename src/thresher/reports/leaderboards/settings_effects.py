"""What each setting of an experiment changes, over all values of the other settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from thresher.counted import counted
from thresher.kernels.inference import Comparison, Verdict
from thresher.kernels.inference.interval import finite
from thresher.kernels.inference.many_systems import (
    Effect,
    FactorEffects,
    SystemScores,
    contrasts,
    factor_effects,
    interaction,
)
from thresher.kernels.inference.verdict_sentence import SIGNS
from thresher.reports.leaderboards.differences import contrast
from thresher.reports.leaderboards.ranking import Ranking
from thresher.reports.leaderboards.section import Section
from thresher.reports.rendering.numbers import interval_heading, interval_text, number, p_text
from thresher.reports.rendering.text import cell_text
from thresher.reports.table import Table

_LONGEST = 30
"""Characters of a value in a table; longer ones, such as prompts, are cut."""


@dataclass(frozen=True)
class SettingEffect:
    """What changing one setting does to the measure.

    Attributes:
        effect: the setting with its values before and after, and how many runs have one of them.
        comparison: after minus before in the additive model, with an interval that holds for all effects.
    """

    effect: Effect
    comparison: Comparison

    @property
    def change(self) -> str:
        """The values before and after."""
        return f"{shown_value(self.effect.before)} -> {shown_value(self.effect.after)}"

    def to_dict(self) -> dict[str, Any]:
        """JSON data."""
        change, effect = self.comparison, self.effect
        facts = {"setting": effect.factor, "before": effect.before, "after": effect.after}
        names = ("difference", "standard_error", "p_value", "p_adjusted")
        numbers = {name: finite(getattr(change, name)) for name in names}
        limits = None if change.interval is None else change.interval.to_dict()
        verdict = change.verdict.value
        return {**facts, "runs": effect.configurations, **numbers, "interval": limits, "verdict": verdict}


@dataclass(frozen=True, eq=False)
class SettingsEffects:
    """Effects of the settings that vary among the ranked runs.

    Attributes:
        ranking: the runs.
        scores: their values.
        factors: the effects as contrasts, of all pairs of values of each setting.
    """

    ranking: Ranking
    scores: SystemScores
    factors: FactorEffects

    @classmethod
    def of(cls, ranking: Ranking) -> "SettingsEffects | None":
        """Effects of the settings in the provenance of the runs; None if no setting varies.

        Raises:
            InputError: if settings only vary together.
        """
        found = _settings(ranking)
        settings = list(found.values())
        if not any(row != settings[0] for row in settings):
            return None
        return cls(ranking, ranking.fair.scores.select(list(found)), factor_effects(settings, levels="all"))

    @property
    def measure(self) -> str:
        """The measure that the settings change."""
        return self.scores.measure

    @property
    def rows(self) -> list[SettingEffect]:
        """One effect per setting and pair of neighbouring values."""
        rows = []
        for own in self._by_setting.values():
            codes = list(_values(own))
            neighbours = list(pairwise(codes))
            rows += [row for row in own if (repr(row.effect.before), repr(row.effect.after)) in neighbours]
        return rows

    @property
    def wins(self) -> dict[str, list[Any]]:
        """Setting -> its values that are each shown to be better than all its other values; at least one."""
        wins = {}
        for setting, own in self._by_setting.items():
            values = _values(own)
            shown = [_codes(row) for row in own if row.comparison.verdict != Verdict.INCONCLUSIVE]
            beaten = {worse for _, worse in shown}
            pairs = [(better, worse) for better in values if better not in beaten for worse in beaten]
            if pairs and all(pair in shown for pair in pairs):
                wins[setting] = [value for code, value in values.items() if code not in beaten]
        return wins

    @cached_property
    def _by_setting(self) -> dict[str, list[SettingEffect]]:
        found: dict[str, list[SettingEffect]] = {}
        for row in self.pairs:
            found.setdefault(row.effect.factor, []).append(row)
        return found

    @cached_property
    def pairs(self) -> list[SettingEffect]:
        """One effect per setting and pair of values; their intervals hold together."""
        ordering, level = self.ranking.ordering, self.ranking.options.level
        rows = contrasts(self.scores, self.factors.matrix, level=ordering.level(level))
        return [
            SettingEffect(
                effect, contrast(self.scores, rows, row, level=level, candidates=ordering.candidates)
            )
            for row, effect in enumerate(self.factors.effects)
        ]

    @cached_property
    def interaction_p(self) -> float | None:
        """P-value of no interaction of settings; None if the runs cannot show one."""
        varying = {effect.factor for effect in self.factors.effects}
        if len(varying) < 2 or not len(self.factors.interactions):  # noqa: PLR2004
            return None
        p_values = interaction(self.scores, self.factors).p_adjusted
        known = p_values[np.isfinite(p_values)]
        return min(1.0, float(known.min()) * self.ranking.ordering.candidates) if len(known) else None

    @property
    def section(self) -> Section:
        """The effects as a part of the leaderboard."""
        columns = ["setting", "change", "difference", interval_heading(self.ranking.options.level)]
        rows = [
            [
                row.effect.factor,
                row.change,
                number(row.comparison.difference, 3, signed=True),
                interval_text(row.comparison.interval, signed=True),
                SIGNS[row.comparison.verdict.value],
                str(row.effect.configurations),
            ]
            for row in self.rows
        ]
        title = f"Effect of each setting on {self.scores.measure}, averaged over the other settings:"
        data = {"effects": [row.to_dict() for row in self.rows], "interaction_p": self.interaction_p}
        table = Table([*columns, "verdict", "runs"], rows)
        return Section("settings", title, table, data, self._reading())

    def _reading(self) -> list[str]:
        together = "The intervals of all effects hold together."
        left_out = len(self.ranking.fair.names) - len(self.scores)
        lacking = []
        if left_out:
            runs = "ranked run without settings is", "ranked runs without settings are"
            lacking = [f"{counted(left_out, *runs)} left out."]
        return [*lacking, together, *self._interaction()]

    def _interaction(self) -> list[str]:
        p_value = self.interaction_p
        if p_value is None:
            many = len({effect.factor for effect in self.factors.effects}) > 1
            return ["These runs cannot show whether settings interact."] if many else []
        if p_value <= 1 - self.ranking.options.level:
            shown = f"Settings interact ({p_text(p_value)})"
            return [f"{shown}: what one changes depends on the others; compare single runs."]
        return [f"No interaction of settings is shown ({p_text(p_value)}); small ones are possible."]


def _settings(ranking: Ranking) -> dict[int, Mapping[str, Any]]:
    """Number of a ranked run -> its settings, for runs that have some.

    An experiment also names factors, in which settings that vary together are one.
    """
    provenances = [ranking.runs[name].provenance for name in ranking.fair.names]
    settings = [known.get("factors") or known.get("settings") for known in provenances]
    return {run: own for run, own in enumerate(settings) if isinstance(own, Mapping) and own}


def _values(effects: Sequence[SettingEffect]) -> dict[str, Any]:
    """The values of one setting in their order, from the effects of all pairs; 1 and True differ."""
    first = effects[0].effect
    return {repr(value): value for value in (first.before, *(row.effect.after for row in effects))}


def _codes(row: SettingEffect) -> tuple[str, str]:
    """The better and the worse value, as keys of `_values`."""
    before, after = repr(row.effect.before), repr(row.effect.after)
    return (after, before) if row.comparison.verdict == Verdict.BETTER else (before, after)


def shown_value(value: Any) -> str:
    """Return a value of a setting for a table or sentence; long ones are cut."""
    text = "none" if value is None else " ".join(cell_text(value).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
