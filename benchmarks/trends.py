"""Alarms over runs of a project: false alarms per year, delay and size of falls, and confirmed changes of items.

    python benchmarks/trends.py [--series 400]

Simulated values of nightly runs, and tables of items x runs. Exit code 1 if a number is outside its limits by
more than chance.
"""

import argparse
import sys
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from experiments_output import CHANCE, Limits, head, row

from thresher.kernels.inference.histories import histories
from thresher.kernels.inference.trends import Watch, watch

Floats = npt.NDArray[np.float64]
YEAR, BEFORE, SOON, DROP = 365, 20, 60, 0.03
"""Runs of a year; runs of the unchanged system before a drop; runs within which it should be found; its size."""
Noise = Callable[[np.random.Generator, int, int], Floats]


def _day(sd: float, alike: float = 0.0) -> Noise:
    """A judge or provider "of the day" that moves all items of a run, correlated between neighbours."""

    def draw(rng: np.random.Generator, series: int, runs: int) -> Floats:
        shocks = rng.normal(0, sd, (series, runs))
        for run in range(1, runs):
            shocks[:, run] = alike * shocks[:, run - 1] + (1 - alike**2) ** 0.5 * shocks[:, run]
        return shocks + rng.normal(0, 0.01, (series, runs))

    return draw


def _bad_weeks(rng: np.random.Generator, series: int, runs: int) -> Floats:
    """A provider with a worse replica: 1 night in 50 it takes over, for three nights on average."""
    state = np.zeros((series, runs))
    for run in range(1, runs):
        state[:, run] = rng.random(series) < np.where(state[:, run - 1] > 0, 0.67, 0.02)
    return rng.normal(0, 0.01, (series, runs)) - 0.02 * state


NOISES: dict[str, tuple[Noise, tuple[float, float], tuple[float, float]]] = {
    "items only": (_day(0), (0.1, 0.6), (0.1, 0.5)),
    "judge of the day, sd 0.01": (_day(0.01), (0.1, 0.7), (0.1, 0.5)),
    "sd 0.02, autocorrelated 0.7": (_day(0.02, 0.7), (0.5, 2.0), (0.3, 1.2)),
    "skewed to bad runs (exponential)": (
        lambda r, s, n: -r.exponential(0.01, (s, n)),
        (0.4, 1.6),
        (0.3, 1.2),
    ),
    "skewed to good runs": (lambda r, s, n: r.exponential(0.01, (s, n)), (0.0, 0.2), (0.0, 0.2)),
    "outages, 1 run in 20 loses 0.05": (
        lambda r, s, n: r.normal(0, 0.01, (s, n)) - 0.05 * (r.random((s, n)) < 0.05),
        (0.3, 1.2),
        (0.2, 1.0),
    ),
    "rate 0.99 of 100 items": (lambda r, s, n: r.binomial(100, 0.99, (s, n)) / 100, (0.2, 1.2), (0.2, 1.0)),
    "equal but for a rare flip": (lambda r, s, n: -0.01 * (r.random((s, n)) < 0.05), (0.1, 0.8), (0.1, 0.8)),
    "t with 3 degrees": (lambda r, s, n: 0.01 * r.standard_t(3, (s, n)), (0.1, 0.8), (0.1, 0.6)),
    "unequal runs of 20 to 300 items": (
        lambda r, s, n: r.normal(0, 0.1 / r.integers(20, 300, (s, n)) ** 0.5),
        (0.1, 0.8),
        (0.1, 0.6),
    ),
    "bad weeks": (_bad_weeks, (0.5, 2.5), (0.5, 2.5)),
}
"""Noise of runs -> its draws, and limits of the false alarms per year with 20 and with 40 reference runs; 0.5 are
stated."""


def alarms(seen: Watch) -> list[int]:
    """Runs after the reference at which an alarm begins; a new one needs that the sum was 0 in between."""
    begun, on = [], False
    for run, total in enumerate(seen.sums):
        on = on and total > 0
        if total > seen.limit and not on:
            begun.append(run)
            on = True
    return begun


def rates(series: int, limits: Limits) -> None:
    """Print false alarms per year of unchanged systems."""
    head("noise of runs", "reference", "false alarms per year", "years with one, %", "nights in alarm, %")
    for name, (draw, *allowed) in NOISES.items():
        for reference, bounds in zip((20, 40), allowed, strict=True):
            table = draw(np.random.default_rng(3), series, reference + YEAR)
            known = [watch(values.tolist(), reference=reference) for values in table]
            counts = np.array([len(alarms(each)) for each in known])
            nights = np.mean([np.mean(np.array(each.sums) > each.limit) for each in known])
            rate, error = counts.mean(), counts.std() / len(counts) ** 0.5
            check(limits, f"{name}, {reference} reference runs: false alarms", rate, error, bounds)
            share = f"{100 * np.mean(counts > 0):.0f}"
            row(name, str(reference), f"{rate:.2f} (+-{error:.2f})", share, f"{100 * nights:.1f}")


def drops(series: int, limits: Limits) -> None:
    """Print how soon a drop is found, and whether its interval contains it."""
    head(
        "noise of runs",
        "reference",
        "drop",
        "found, %",
        "median delay",
        "mean size shown",
        "interval covers, %",
    )
    of_a_drop = {
        "items only": (0.97, (3, 4)),
        "judge of the day, sd 0.01": (0.97, (3, 7)),
        "sd 0.02, autocorrelated 0.7": (0.6, (8, 40)),
    }
    for name, (least, delays_allowed) in of_a_drop.items():
        for reference in (20, 40):
            for drop in (DROP / 2, DROP, 2 * DROP):
                table = NOISES[name][0](np.random.default_rng(4), series, reference + BEFORE + SOON)
                table[:, reference + BEFORE :] -= drop
                delays, sizes, covers = [], [], []
                for values in table:
                    first = next(iter(alarms(watch(values.tolist(), reference=reference))), None)
                    if first is not None and first < BEFORE:
                        continue  # a false alarm before
                    delays.append(np.inf if first is None else first - BEFORE + 1)
                    if first is not None:
                        shown = watch(values[: reference + first + 1].tolist(), reference=reference)
                        sizes.append(shown.fall)
                        covers.append(shown.interval.low <= drop <= shown.interval.high)
                what = f"{name}, {reference} reference runs, drop {drop:g}"
                allowed = (least, 1.0) if drop >= DROP else (0.0, 1.0)
                found = limits.share(f"{what}: found", np.isfinite(delays).tolist(), allowed)
                sure = (0.85, 1.0) if drop >= DROP else (0.0, 1.0)
                covered = limits.share(f"{what}: covers", covers, sure)
                delay, size = float(np.median(delays)), float(np.mean(sizes))
                if drop == DROP:
                    check(limits, f"{what}: delay", delay, 0.0, delays_allowed)
                row(name, str(reference), f"{drop:g}", found, f"{delay:.0f}", f"{size:.3f}", covered)


def check(limits: Limits, name: str, value: float, error: float, bounds: tuple[float, float]) -> None:
    """Note a number that is outside its limits by more than chance."""
    if value - CHANCE * error > bounds[1] or value + CHANCE * error < bounds[0]:
        limits.violations.append(f"{name}: {value:.2f} is outside {bounds[0]} to {bounds[1]}")


def items_that_changed(samples: int, limits: Limits) -> None:
    """Print how often items fail since a run: of unchanged systems, and of the items that really do."""
    head(
        "runs", "unchanged series with such items, %", "of 6 items that fail since the middle, %", "others, %"
    )
    for runs in (6, 8, 12, 20):
        rng = np.random.default_rng(runs)
        unchanged, named, others = [], [], []
        for _ in range(max(40, samples // 4)):
            table = (rng.random((60, runs)) < rng.beta(8, 0.8, (60, 1))).astype(np.float64)
            unchanged.append(_falls(table).any())
            table[:6, : runs // 2] = rng.random((6, runs // 2)) < 0.97
            table[:6, runs // 2 :] = rng.random((6, runs - runs // 2)) < 0.03
            falls = _falls(table)
            named += falls[:6].tolist()
            others += falls[6:].tolist()
        shares = [
            limits.share(f"{runs} runs: unchanged", unchanged, (0.0, 0.05)),
            limits.share(f"{runs} runs: items", named, (0.5 if runs > 6 else 0.0, 1.0)),
            limits.share(f"{runs} runs: others", others, (0.0, 0.05)),
        ]
        row(str(runs), *shares)


def _falls(table: Floats) -> npt.NDArray[np.bool_]:
    return np.array([item.kind == "fails since" for item in histories(table)])


def main(words: Sequence[str] | None = None) -> int:
    """Print the tables; return 1 if a number is outside its limits."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--series", type=int, default=200, help="simulated series per row")
    options = parser.parse_args(words)
    limits = Limits()
    for table in (rates, drops, items_that_changed):
        table(options.series, limits)
    for violation in limits.violations:
        print(violation, file=sys.stderr)
    return 1 if limits.violations else 0


if __name__ == "__main__":
    sys.exit(main())
