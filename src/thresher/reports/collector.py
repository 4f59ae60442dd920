"""The component that ends an evaluation pipeline."""

from collections.abc import Mapping, Sequence
from typing import Any

from haystack import component
from haystack.core.component.sockets import Sockets
from haystack.core.component.types import InputSocket, OutputSocket, Variadic

from thresher.counted import counted
from thresher.errors import InputError
from thresher.metrics import check_option
from thresher.reports.evaluation_results import EvaluationResults
from thresher.results import VOCABULARY, MetricResult, recorded_result
from thresher.results.primary import check_primary, choose_primary
from thresher.surface import in_pipeline, undeclared


class _DeclaredSockets(dict[str, InputSocket | OutputSocket]):
    """Sockets that say how to declare a column: Haystack only says that it found no input of that name."""

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name):
            return True
        with in_pipeline():
            raise InputError(f"the collector has no input {name!r}{undeclared(name)}")


@component
class EvaluationResultsCollector:
    """Collects the results of a pipeline's metrics in one `EvaluationResults`.

    Connect each metric's `result` to the socket `results`. Haystack's own evaluators have no `result`:
    name them in `haystack_metrics` and connect their `individual_scores` to the socket of that name. The
    columns of the vocabulary (`ids`, `questions`, `contexts`, ...) are optional inputs, so that one
    `pipeline.run({"questions": [...], ...})` feeds metrics and collector. Other columns, by which reports
    and gates slice, cluster or read labels, are named in `columns`.

    Args:
        run_name: name of the run in reports; may be empty.
        haystack_metrics: names of sockets for `individual_scores` of Haystack's evaluators.
        primary: names of the measures that comparisons of these runs test; the others are shown without a
            verdict. Default: the measures that each metric declares, else its headline measure.
        columns: names of further input columns, e.g. `["language", "customer"]`; each is a socket.

    Attributes:
        evaluator_settings: settings of Haystack's evaluators by socket, for their signatures; `build` and
            `evaluate` fill it in.

    Raises:
        InputError: for a name that cannot be a socket's, and from `run` for a primary measure that no
            metric reports, a column of another length, or with the name of a measure.

    ```python
    pipeline.add_component("collector", EvaluationResultsCollector(haystack_metrics=["mrr"]))
    pipeline.connect("token_f1.result", "collector.results")
    pipeline.connect("document_mrr.individual_scores", "collector.mrr")
    ```
    """

    def __init__(
        self,
        run_name: str = "",
        haystack_metrics: list[str] | None = None,
        primary: Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
    ) -> None:
        check_primary(primary)
        self.run_name = run_name
        self.haystack_metrics = haystack_metrics
        self.primary = None if primary is None else list(primary)
        self.columns = (
            list(columns) if isinstance(columns, tuple) else columns
        )  # pipeline files have no tuples
        self.evaluator_settings: dict[str, dict[str, Any]] = {}
        self.__haystack_input__: Any = Sockets(self, _DeclaredSockets(), InputSocket)
        taken = {"results", *VOCABULARY}
        for option, names in {"haystack_metrics": haystack_metrics, "columns": columns}.items():
            check_option(option, names, Sequence[str] | None)
            for name in names or ():
                if name in taken or not name.isidentifier():
                    problem = (
                        "is an input of the collector already" if name in taken else "is not an identifier"
                    )
                    raise InputError(f"{option}: {name!r} {problem}; choose another name")
                taken.add(name)
        for name in haystack_metrics or ():
            component.set_input_type(self, name, list | None, default=None)
        for name in (*VOCABULARY, *(columns or ())):
            # The metrics that read a column know its type. A type of the collector's own would have to agree
            # with each of them in a Haystack SuperComponent, which has one input for all.
            component.set_input_type(self, name, Any, default=None)

    @component.output_types(results=EvaluationResults)
    def run(self, results: Variadic[MetricResult] = None, **columns: Any) -> dict[str, Any]:  # type: ignore[assignment]
        """Put the parts together.

        Args:
            results: metric results, any number.
            columns: the item columns that were given, and the scores of Haystack's evaluators.

        Returns:
            `results`: the `EvaluationResults` of the run.

        Raises:
            InputError: if lengths differ, names collide, nothing was collected, or a primary measure is
                not among the metrics.
        """
        collected: list[MetricResult | None] = list(results or ())
        known = [result for result in collected if result is not None]
        for name in self.haystack_metrics or []:
            scores: Sequence[Any] | None = columns.pop(name, None)
            if scores is not None:
                self._check_number(name, scores, columns)
                known.append(recorded_result(name, scores, settings=self.evaluator_settings.get(name)))
        if not known:
            raise InputError(
                "the collector received no metric: connect each metric's `result` to `results`; the `run` of "
                "a metric returns outputs(...)"
            )
        known = choose_primary(sorted(known, key=self._place), self.primary)
        inputs = {name: column for name, column in columns.items() if column is not None}
        ids = inputs.pop("ids", None)
        return {"results": EvaluationResults(inputs, known, name=self.run_name, ids=ids)}

    def _place(self, result: MetricResult) -> tuple[int, str]:
        """Place of a metric among the connections; by name after them if it is not called as its component.

        Side by side, the results come in whatever order they end.
        """
        sockets: dict[str, Any] = self.__haystack_input__._sockets_dict  # noqa: SLF001
        senders: list[str] = [*sockets["results"].senders, *(self.haystack_metrics or ())]
        return place_among(senders, result.name), result.name.casefold()

    def _check_number(self, name: str, scores: Sequence[Any], columns: Mapping[str, Any]) -> None:
        """Raise unless a metric of another package returned one score per item."""
        given = (columns.get(column) for column in (*VOCABULARY, *(self.columns or ())))
        size = next((len(column) for column in given if column is not None), len(scores))
        if len(scores) != size:
            returned = counted(len(scores), "score")
            raise InputError(
                f"{name} returned {returned} for {counted(size, 'item')}; return one score per item"
            )


def place_among(names: Sequence[str], result: str) -> int:
    """Place of a result, such as `retrieval_ndcg@10`, among names of metrics; after them if unknown."""
    known = (name for name in (result, result.partition("@")[0]) if name in names)
    name = next(known, None)
    return len(names) if name is None else names.index(name)
