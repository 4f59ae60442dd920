"""`plan`: how many items a comparison needs to show a difference, before it is run."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference import compare
from thresher.kernels.inference.interval import LEVEL, checked_level
from thresher.kernels.inference.sample_sizes import POWER, SampleSize, rate_variance
from thresher.kernels.inference.verdict_sentence import about
from thresher.reports.comparisons.run_pair import RunPair
from thresher.reports.rendering.numbers import percent, significant
from thresher.reports.report import TableReport
from thresher.reports.runs.names import distinct_run_names
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table
from thresher.surface import given, option


@dataclass(frozen=True)
class Use:
    """What judges and generators take for an item.

    Attributes:
        calls: requests.
        cost: money; None without prices.
        whose: who is called.
    """

    calls: float
    cost: float | None = None
    whose: str = "judge"

    @classmethod
    def of(cls, run: RunData) -> "Use | None":
        """The use that a run recorded, also for replies that it had already; None without any."""
        usages = [*run.provenance.get("asking", ()), *run.provenance.get("answering", ())]
        calls = sum(usage.get("calls", 0) for usage in usages)
        known = sum(usage.get("known", 0) for usage in usages)
        if not calls + known or not len(run):
            return None
        paid = [usage["cost"] for usage in usages if usage.get("cost") is not None]
        each = (calls + known) / len(run)
        cost = sum(paid) / calls * each if paid and calls else None
        return cls(each, cost, "model" if run.provenance.get("answering") else "judge")


@dataclass(frozen=True)
class Plan:
    """The number of items that a comparison needs.

    Attributes:
        difference: what it is to show.
        size: the items, or clusters.
        basis: what the spread of the items is taken from, in words.
        level: level of the interval.
        power: probability of showing the difference.
        unit: what is counted.
        use: what an item takes; None if it is unknown.
    """

    difference: float
    size: SampleSize
    basis: str
    level: float = LEVEL
    power: float = POWER
    unit: str = "item"
    use: Use | None = None

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        low, high, floor = self.size.low, self.size.high, self.size.floor
        if low is None:
            items = f"at least {floor:,} and at most {about((high, high))}"
        elif low < high:
            items = f"{about((low, high)).removeprefix('about ')}"
        else:
            items = f"{high:,}"
        calls = "" if self.use is None else f"; {significant(self.use.calls, 2)} {self.use.whose} calls each"
        return f"To show a difference of {self.difference:g} you need {items} {self.unit}s in all{calls}."

    @property
    def notes(self) -> list[str]:
        """What the numbers assume."""
        shows = f"{percent(self.level)} intervals show the difference in {percent(self.power)} of comparisons"
        few = "; fewer than 10 items differ, so there is no lower end" if self.size.low is None else ""
        floor = f"; however little they vary, it takes {self.size.floor:,}" if self.size.floor > 2 else ""  # noqa: PLR2004
        return [f"{shows}, if items vary as {self.basis}{few}{floor}."]

    def table(self) -> Table:
        """Return one row per number of items: calls and cost of one system."""
        low, high = self.size.low, self.size.high
        exact = {"needed": high} if low == high else {"from": low, "to": high}
        rows = [
            (
                name,
                items,
                None if self.use is None else round(items * self.use.calls),
                None if self.use is None or self.use.cost is None else items * self.use.cost,
            )
            for name, items in exact.items()
            if items is not None
        ]
        return Table(("", f"{self.unit}s", "calls", "cost"), rows, notes=self.notes, reading=[self.sentence])

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data."""
        return {
            "difference": self.difference,
            **vars(self.size),
            "unit": self.unit,
            "level": self.level,
            "power": self.power,
            "basis": self.basis,
            "each": None if self.use is None else vars(self.use),
            "sentence": self.sentence,
        }

    def report(self) -> TableReport[Table]:
        """Return the plan as a report, which has every format of reports and can be saved."""
        table = self.table()
        known = [name for name in table.columns if any(entry is not None for entry in table[name])]
        rows = [[row[name] for name in known] for row in table]
        shown = Table(known, rows, notes=table.notes, reading=table.reading)
        return TableReport.of(table, summary=shown, data=self.to_dict())

    def __str__(self) -> str:
        return self.sentence


def plan(
    difference: float,
    *,
    pilot: Sequence[RunData] | None = None,
    metric: str | None = None,
    sd: float | None = None,
    rates: float | None = None,
    same: float = 0.0,
    reach: float = 1.0,
    level: float = LEVEL,
    power: float = POWER,
    cluster: str | None = None,
    repeats: str | None = None,
) -> Plan:
    """Plan how many items a comparison of two systems needs.

    Give one of `pilot`, `sd` and `rates`. A pilot leaves open how much further items vary, so that it gives a
    range, which holds the number in 80 % of pilots; if fewer than ten of its items differ, only the upper end.

    Args:
        difference: the difference to show, in the units of the measure.
        pilot: two runs over the same items.
        metric: the measure; default: the primary measure of the pilot, if there is one.
        sd: standard deviation of the difference of an item.
        rates: the rate of the first system; the second one has `rates + difference`.
        same: share of the items that both systems answer alike, with `rates`; they answer the others independently.
        reach: largest minus smallest possible score, with `sd`; infinite without bounds.
        level: level of the interval that shows the difference, 0.5 to 1.
        power: probability of showing it, 0 to 1.
        cluster: input column of clusters, with `pilot`; see `Analysis`.
        repeats: input column of what an item repeats, with `pilot`.

    Raises:
        InputError: for other than one basis, an unknown metric, a number out of range, and a pilot whose items do not
            vary.

    >>> print(plan(0.05, sd=0.3))
    To show a difference of 0.05 you need 283 items in all.
    """
    named = sum(basis is not None for basis in (pilot, sd, rates))
    if named != 1:
        bases = option("--pilot RUN RUN, --sd S or --rates R", "pilot=(run, run), sd= or rates=")
        raise InputError(f"give one of {bases}, by which the items vary, not {named}")
    _check("difference", difference, 0, math.inf)
    _check("power", power, 0, 1)
    level = checked_level(level)
    if pilot is not None:
        return _of_pilot(difference, pilot, metric, (cluster, repeats), level=level, power=power)
    if sd is not None:
        _check("sd", sd, 0, math.inf)
        if not reach > 0:
            raise InputError(f"{given('range', reach)} must be above 0")
        variance, basis = sd**2, f"a standard deviation of {sd:g} says"
    else:
        reach = 1.0
        rate = float(rates or 0.0)
        if not (rate >= 0 and rate + difference <= 1 and 0 <= same <= 1):
            raise InputError(
                f"{given('rates', rates)} and {given('same', same)}: give a rate of at most 1 - difference, and a "
                "share of items, both from 0 to 1"
            )
        variance = rate_variance(rate, difference, same)
        alike = f"{percent(same)} of the items alike" if same else "all items independently"
        basis = f"systems with rates of {rate:g} and {rate + difference:g} that answer {alike}"
    _check("difference", difference, 0, reach)
    size = SampleSize.of(difference, (variance, variance), reach, level=level, power=power)
    return Plan(difference, size, basis, level, power)


def _check(name: str, value: float, low: float, high: float) -> None:
    if not low < value < high:
        upper = "" if math.isinf(high) else f" and below {high:g}"
        raise InputError(f"{given(name, value)} must be above {low:g}{upper}")


def _of_pilot(
    difference: float,
    pilot: Sequence[RunData],
    metric: str | None,
    grouped: tuple[str | None, str | None],
    *,
    level: float,
    power: float,
) -> Plan:
    if len(pilot) != 2:  # noqa: PLR2004
        raise InputError(f"a pilot is two runs over the same items, not {counted(len(pilot), 'run')}")
    first, second = pilot
    names = distinct_run_names([first.name, second.name])
    pair = RunPair.of(first, second, (names[0], names[1]), cluster=grouped[0], repeats=grouped[1])
    if metric is None:
        primary = [name for name in pair.shared if first.metrics[name].is_primary]
        if len(primary) != 1:
            there = ", ".join(primary or pair.shared) or "none"
            raise InputError(f"{given('metric', '...')}: name the measure to plan for; there are {there}")
        metric = primary[0]
    metric = first.metric(metric).name
    if metric not in pair.shared:
        raise InputError(f"{names[1]} has no metric {metric}; there are {', '.join(pair.shared) or 'none'}")
    comparison = compare(*pair.targets(metric), level=level, **pair.grouping.units)
    _check("difference", difference, 0, comparison.span)
    size = comparison.items_needed(difference, power)
    if size is None:
        raise InputError(
            f"{metric} differs by the same amount on all {counted(comparison.items, 'item')} of the pilot, which shows "
            f"no spread; give {option('--sd', 'sd=')}"
        )
    basis = f"those of the pilot ({metric} on {counted(comparison.units, 'item')})"
    unit = "item" if comparison.clusters is None else "cluster"
    return Plan(difference, size, basis, level, power, unit, Use.of(second) or Use.of(first))
