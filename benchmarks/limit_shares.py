"""Simulation: how much of a rate limit workers of unequal speed use, if they split or share it.

    python benchmarks/limit_shares.py [--workers 4 32 256] [--spreads 0 0.5 1] [--minutes 30]

The limit is 6,000 requests a minute. A call takes about a second (lognormal, sigma .5), each worker has 64 in
flight, and the work of a worker is lognormal with the given sigma (`spread`). `split`: each worker has its
part of the limit and of the work. `shared`: a bucket that all lease from, and a common list of work. `used`
is the share of the limit until the last reply, `most` the most requests in any 60 seconds as a share of the
limit, `behind` how much of the time the last worker is alone, against the mean worker.
"""

import argparse
import heapq
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

LIMIT = 6_000.0
IN_FLIGHT, BURST, LEASE, LEASE_SECONDS = 64, 0.1, 50, 0.002


@dataclass
class Bucket:
    """A token bucket that may burst a tenth and fills with the rest, as the gate's does.

    Attributes:
        per_minute: the limit.
    """

    per_minute: float
    then: float = 0.0

    def __post_init__(self) -> None:
        self.capacity = max(1.0, BURST * self.per_minute)
        self.rate = max(self.per_minute - self.capacity, self.per_minute / 2) / 60
        self.level = self.capacity

    def lease(self, now: float, requests: int) -> float:
        """Return the moment from which so many requests may be sent."""
        self.level = min(self.capacity, self.level + (now - self.then) * self.rate) - requests
        self.then = now
        return now - min(0.0, self.level) / self.rate


class Workers:
    """Workers that send requests until the work is done.

    Args:
        number: how many workers.
        calls: requests of all of them.
        spread: sigma of the work per worker.
        shared: whether limit and work are shared.
    """

    def __init__(self, number: int, calls: int, spread: float, *, shared: bool) -> None:
        self.rng, self.shared = random.Random(1), shared
        weights = [self.rng.lognormvariate(0, spread) for _ in range(number)]
        self.work = [calls] if shared else [round(calls * weight / sum(weights)) for weight in weights]
        self.buckets = [Bucket(LIMIT)] if shared else [Bucket(LIMIT / number) for _ in range(number)]
        self.leased = [(0, 0.0)] * number
        self.ends = [0.0] * number
        self.sent: list[float] = []

    def run(self) -> tuple[float, float, float]:
        """Simulate all calls; return `used`, `most` and `behind`."""
        slots = [
            (self.rng.random() * 0.01, worker) for worker in range(len(self.ends)) for _ in range(IN_FLIGHT)
        ]
        heapq.heapify(slots)
        while slots:
            now, worker = heapq.heappop(slots)
            place = 0 if self.shared else worker
            if not self.work[place]:
                continue
            start = self._start(now, worker, place)
            self.work[place] -= 1
            self.sent.append(start)
            end = start + self.rng.lognormvariate(-0.125, 0.5)
            self.ends[worker] = max(self.ends[worker], end)
            heapq.heappush(slots, (end, worker))
        whole = max(self.ends)
        used = len(self.sent) / (LIMIT / 60 * whole)
        return used, most_in_a_minute(self.sent) / LIMIT, (whole - statistics.mean(self.ends)) / whole

    def _start(self, now: float, worker: int, place: int) -> float:
        """When a worker may send its next request."""
        left, since = self.leased[worker]
        if not left:
            left = min(LEASE, self.work[place]) if self.shared else 1
            since = self.buckets[place].lease(now + LEASE_SECONDS * self.shared, left)
        self.leased[worker] = left - 1, since
        return max(now, since)


def most_in_a_minute(moments: Sequence[float]) -> int:
    """The most moments in any 60 seconds."""
    ordered = sorted(moments)
    most = first = 0
    for place, moment in enumerate(ordered):
        while ordered[first] <= moment - 60:
            first += 1
        most = max(most, place - first + 1)
    return most


def main() -> None:
    """Print one row per number of workers, spread and way."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, nargs="+", default=[4, 32, 256])
    parser.add_argument("--spreads", type=float, nargs="+", default=[0.0, 0.5, 1.0])
    parser.add_argument("--minutes", type=float, default=30.0)
    options = parser.parse_args()
    print(f"{'workers':>7}{'spread':>8}  {'way':8}{'used':>6}{'most':>6}{'behind':>8}")
    for number in options.workers:
        for spread in options.spreads:
            for way in ("split", "shared"):
                workers = Workers(number, int(LIMIT * options.minutes), spread, shared=way == "shared")
                used, most, behind = workers.run()
                print(f"{number:7}{spread:8}  {way:8}{used:6.2f}{most:6.2f}{behind:8.2f}", flush=True)


if __name__ == "__main__":
    main()
