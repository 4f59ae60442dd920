"""Metrics over batches: update by update in a training loop, and over the batches of several processes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from haystack import Pipeline

from thresher.counted import counted
from thresher.datasets._opened import warn_of
from thresher.datasets.sources import Source
from thresher.errors import InputError
from thresher.judges.session import current_session
from thresher.pipelines.labelled import data_for
from thresher.pipelines.plan import Plan
from thresher.pipelines.provenance import provenance
from thresher.pipelines.runner import evaluation_pipeline
from thresher.pipelines.unfed import is_unfed, result_names
from thresher.pipelines.without_reports import without_reports
from thresher.reports.evaluation_results import EvaluationResults
from thresher.results import MetricResult
from thresher.results.repeated_items import differing
from thresher.surface import columns_of

_WITHOUT_IDS = (
    "the merged items have no ids: one that two processes evaluated counts twice, and samplers of "
    "distributed training repeat items; give `ids` to update"
)


@dataclass(frozen=True, eq=False)
class AccumulatorState:
    """What an `Accumulator` has computed so far: statistics per item, without the inputs. It can be pickled.

    Attributes:
        results: one per metric; empty without items.
        ids: ids of the items; None if they have none.
    """

    results: tuple[MetricResult, ...] = ()
    ids: tuple[str, ...] | None = ()

    def __len__(self) -> int:
        return len(self.results[0]) if self.results else 0

    def joined(self, other: "AccumulatorState") -> "AccumulatorState":
        """The items of both.

        Raises:
            InputError: if only one has ids, or the metrics or their settings differ.
        """
        if not other.results or not self.results:
            return self if self.results else other
        if (self.ids is None) != (other.ids is None):
            raise InputError("some items have ids and others do not; give `ids` to every update, or to none")
        names, others = ([result.name for result in side.results] for side in (self, other))
        if names != others:
            raise InputError(f"items were evaluated with {', '.join(names)}, others with {', '.join(others)}")
        pairs = zip(self.results, other.results, strict=True)
        results = tuple(MetricResult.concatenate(pair) for pair in pairs)
        return AccumulatorState(results, None if self.ids is None else self.ids + (other.ids or ()))

    def distinct(self) -> "AccumulatorState":
        """The items in the order of their ids, each once; without ids, as they are.

        Warns of items with the id of another one that have other statistics.
        """
        if self.ids is None:
            return self
        first = {name: at for at, name in reversed([*enumerate(self.ids)])}
        self._check_repeats(first)
        number = all(name.isascii() and name.isdigit() for name in first)
        ids = sorted(first, key=(lambda name: (int(name), name)) if number else None)
        places = [first[name] for name in ids]
        if places == list(range(len(self.ids))):
            return self
        return AccumulatorState(tuple(result.take(places) for result in self.results), tuple(ids))

    def _check_repeats(self, first: Mapping[str, int]) -> None:
        """Warn if different items share an id, as those of processes that number their own items do."""
        repeats = [at for at, name in enumerate(self.ids or ()) if first[name] != at]
        if not repeats or not self.results:
            return
        ids = self.ids or ()
        places = [first[ids[at]] for at in repeats]
        apart = np.logical_or.reduce([differing(result, places, repeats) for result in self.results])
        if apart.any():
            name, count = ids[repeats[int(np.argmax(apart))]], int(apart.sum())
            note = (
                f"different items share an id and are left out after the first ({count} such, e.g. {name}); "
                "give `ids` that name an item in the whole data set, not in one process"
            )
            warn_of([note])


class Accumulator:
    """Computes metrics batch by batch, and over the batches of several processes.

    Statistics per item are retained, no inputs. So `compute` gives the values, intervals and slices of a run
    over all items at once, and the states of processes merge without loss, in any order if items have ids.

    Args:
        metrics: a pipeline, the name of a recipe, or metrics, as for `evaluate`.
        name: name of the run in reports.

    Raises:
        InputError: for an unknown name, or an object that is not a metric.

    >>> accumulator = Accumulator(["exact_match"])
    >>> accumulator.update(predicted_answers=["a"], ground_truth_answers=["a"])
    >>> accumulator.update(predicted_answers=["b"], ground_truth_answers=["a"])
    >>> accumulator.compute().metrics["exact_match"].value
    0.5
    """

    def __init__(
        self, metrics: Pipeline | str | Sequence[Any] | Mapping[str, Any], *, name: str = ""
    ) -> None:
        self.name = name
        self._pipeline = evaluation_pipeline(metrics)
        self.reset()

    def reset(self) -> None:
        """Forget all items, for the next epoch."""
        self._blocks: list[AccumulatorState] = []
        self._known: set[str] = set()
        self._plan: Plan | None = None

    def __len__(self) -> int:
        return len(self._known) or sum(map(len, self._blocks))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name or 'unnamed'}; {counted(len(self), 'item')})"

    def update(self, **columns: Any) -> None:
        """Evaluate a batch.

        Args:
            columns: one entry per item under the names of the metrics' inputs, e.g. `predictions` and
                `ground_truths`, and `ids`, which several processes need if they may evaluate an item twice.

        Raises:
            InputError: if a column is missing or malformed, or an id has been evaluated since `reset`.
        """
        if columns and all(hasattr(column, "__len__") and not len(column) for column in columns.values()):
            return  # the last batch of a process may be empty
        with columns_of("update"):
            data = data_for(self._pipeline, columns, by_chunk=False)
        data = data.slice(0, len(data))
        self._check_columns(columns, data)
        ids = tuple(data.ids) if data.ids_given else None
        repeated = next((name for name in ids or () if name in self._known), None)
        if repeated is not None:
            raise InputError(f"the item {repeated} was evaluated before; call reset() before the next epoch")
        plan = Plan.of(self._pipeline, data, is_whole=False)
        if self._plan is None:
            plan.dry_run()
        with current_session().breakers.attempt():
            part = plan.compute(data)
        self._add(AccumulatorState(tuple(part.results), ids))
        self._plan = plan
        self._known.update(ids or ())

    def _check_columns(self, columns: Mapping[str, Any], data: Source) -> None:
        """Raise if an argument is missing; name those given, whose entries reading may have taken apart.

        Raises:
            InputError: with the missing arguments.
        """
        for component, sockets in without_reports(self._pipeline).inputs().items():
            missing = [socket for socket in sockets if is_unfed(socket, sockets, data)]
            if missing:
                raise InputError(
                    f"{component} needs {' and '.join(map(repr, missing))}, and update was given "
                    f"{', '.join(columns) or 'nothing'}; "
                    f"write update({', '.join(f'{socket}=...' for socket in missing)})"
                )

    def merge(self, *states: AccumulatorState) -> None:
        """Add what other processes have computed.

        Items whose id is there already are left out by `compute`: samplers of distributed training repeat
        items so that all processes have the same number.

        Without ids such items count twice; a warning says so.

        Args:
            states: what `state` returned in other processes, or earlier.

        Raises:
            InputError: if their metrics or settings differ, or only some have ids.
        """
        for state in states:
            if not isinstance(state, AccumulatorState):
                raise InputError(
                    f"merge takes what state() returned, not {type(state).__name__}; "
                    "pass several as merge(*states)"
                )
            self._check_metrics(state)
        for state in states:
            self._add(state)
            self._known.update(state.ids or ())
        if states and self.state().ids is None and len(self) > max(map(len, states)):
            warn_of([_WITHOUT_IDS])

    def _check_metrics(self, state: AccumulatorState) -> None:
        """Raise if a state was computed with other metrics; without items, nothing else would show it.

        Raises:
            InputError: with the metrics of both.
        """
        theirs, mine = {result.name for result in state.results}, self._metrics
        if theirs and mine is not None and theirs != mine:
            raise InputError(
                f"the state is of {', '.join(sorted(theirs))}, and this accumulator evaluates "
                f"{', '.join(sorted(mine))}; give both the same metrics"
            )

    @cached_property
    def _metrics(self) -> set[str] | None:
        return result_names(self._pipeline)

    def state(self) -> AccumulatorState:
        """What was computed since `reset`; pickle it, or send it to another process to be merged there."""
        whole = AccumulatorState()
        for block in self._blocks:
            whole = whole.joined(block)
        self._blocks = [whole] if whole.results else []
        return whole

    def compute(self) -> EvaluationResults:
        """The results over all items; further updates may follow.

        Items with ids are in the order of their ids, so the results do not depend on the order of updates
        and of merged states.

        Raises:
            InputError: without items.
        """
        state = self.state().distinct()
        if not state.results:
            raise InputError("there are no items yet; call update(...) or merge(...)")
        facts: dict[str, Any] = {"name": self.name, "items": len(state), "ids_given": state.ids is not None}
        if self._plan is not None:
            facts |= self._plan.manifest_entries(state.results)
        ids = state.ids if state.ids is not None else [str(at) for at in range(len(state))]
        return EvaluationResults(
            {},
            state.results,
            name=self.name,
            ids=ids,
            ids_given=state.ids is not None,
            provenance={**facts, "provenance": provenance()},
        )

    def _add(self, state: AccumulatorState) -> None:
        """Append items; joining blocks of similar size copies each item only a few times."""
        self._blocks.append(state)
        while len(self._blocks) > 1 and len(self._blocks[-1]) >= len(self._blocks[-2]):
            last = self._blocks.pop()
            self._blocks[-1] = self._blocks[-1].joined(last)
