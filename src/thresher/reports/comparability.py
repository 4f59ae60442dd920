"""What to know before two runs are compared: what keeps them from being comparable comes first."""

from collections.abc import Sequence

from thresher.reports.pair import Pair


def pair_notes(pair: Pair) -> list[str]:
    """Whole sentences about one pair of runs, the gravest first."""
    settings = [
        f"{metric} was computed with other settings in {pair.names[1]} than in {pair.names[0]}: {told}."
        for metric, told in ((metric, pair.other_settings(metric)) for metric in pair.shared)
        if told
    ]
    joined = pair.joined.note(pair.names)
    return [*pair.other_data, *settings, *([joined] if joined else []), *_coverage(pair), *_lacking(pair)]


def withheld(pair: Pair, metric: str) -> str | None:
    """Why a metric of both runs gets no verdict; None if it gets one."""
    if pair.other_data:
        return "other data"
    return "other settings" if pair.other_settings(metric) else None


def _coverage(pair: Pair) -> list[str]:
    """Which metrics are compared over fewer items than the runs have in common."""
    items = len(pair.joined.first)
    by_count: dict[int, list[str]] = {}
    for metric in pair.shared:
        both = int(pair.targets(metric)[0].mask.sum())
        if both < items:
            by_count.setdefault(both, []).append(metric)
    names = " and ".join(pair.names)
    return [
        f"{_listed(metrics)} compared over the {_counted(both)} that both {names} scored, of {items}."
        for both, metrics in by_count.items()
    ]


def _lacking(pair: Pair) -> list[str]:
    found = []
    for only, other, where in (
        (pair.first, pair.second, pair.names[0]),
        (pair.second, pair.first, pair.names[1]),
    ):
        lacking = [metric for metric in pair.looked_at(only) if metric not in other.metrics]
        found += [f"Only {where} has {', '.join(lacking)}."] if lacking else []
    return found


def _counted(items: int) -> str:
    return "1 item" if items == 1 else f"{items} items"


def _listed(metrics: Sequence[str]) -> str:
    return f"{', '.join(metrics)} {'is' if len(metrics) == 1 else 'are'}"
