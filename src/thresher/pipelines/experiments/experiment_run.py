"""Run an experiment: build, index, answer block by block, score, and record the state."""

import json
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from thresher.datasets import Dataset
from thresher.datasets.samples import shuffled
from thresher.errors import ComponentError, InputError
from thresher.judges import Prices
from thresher.judges.session import current_session, limited
from thresher.pipelines.answering import QueryPipeline, ReplyCache
from thresher.pipelines.answering.answered_run import AnsweredRun, answer_plan
from thresher.pipelines.answering.question_data import answer_columns, question_data, repeated, sockets_of
from thresher.pipelines.answering.questions import is_spent
from thresher.pipelines.component_failures import component_failure
from thresher.pipelines.experiments.experiment_results import ExperimentResults
from thresher.pipelines.experiments.indexes import BuiltIndex, Index
from thresher.pipelines.experiments.progress import ExperimentProgress
from thresher.pipelines.experiments.spec import ExperimentSpec
from thresher.pipelines.experiments.state import prepare_experiment_folder, read_state, write_state
from thresher.pipelines.experiments.trials import OpenTrial, Trial, Trials
from thresher.pipelines.experiments.usage_metrics import COST, LATENCY, TOKENS, with_usage
from thresher.pipelines.looks import Looks, looks_entry, part_size
from thresher.pipelines.provenance import now
from thresher.pipelines.run_folder import delete_unused
from thresher.pipelines.runner import evaluation_pipeline
from thresher.reports.comparisons.margins import Margins
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.runs.looks import STOPPED
from thresher.results.primary import check_primary
from thresher.surface import given


class ExperimentRun:
    """A planned experiment; `check` prepares it, and `run` completes it.

    Args:
        spec: the options of the experiment.

    Attributes:
        trials: the configurations.
        questions: the questions.
        evaluation: the metrics.

    Raises:
        InputError: for an unknown path, an unusable grid, data or metric.
    """

    def __init__(self, spec: ExperimentSpec) -> None:
        self.spec = spec
        self.out = Path(spec.out)
        self.trials = Trials.of(spec)
        data = question_data(spec.questions, mapping=spec.mapping)
        self.questions = data if spec.limit is None else data.head(spec.limit)
        self._block = spec.block
        if spec.looks is not None:
            if len(self.trials.every) != 2:  # noqa: PLR2004
                found = len(self.trials.every)
                raise InputError(
                    f"{given('looks', spec.looks)}: two configurations are compared, not {found}"
                )
            self.questions = shuffled(self.questions)
            self._block = part_size(spec.looks, len(self.questions))
        self.evaluation = evaluation_pipeline(spec.metrics if spec.recipe is None else spec.recipe)
        self._fingerprint = self.questions.fingerprint()
        self._before: dict[str, Any] = {}
        self._priced = False
        self._usage: list[str] = []
        self._opened: list[OpenTrial] = []
        self._broken: dict[str, str] = {}

    def run(self) -> ExperimentResults:
        """Answer and score what is missing.

        Raises:
            InputError: if no configuration can be built.
            ComponentError: if no configuration gets an answer, or no index can be built.
            RunDirectoryError: if a folder holds another run, or cannot be written.
        """
        prepare_experiment_folder(self.out)
        self._open()
        runs: dict[str, EvaluationResults] = {}
        try:
            with ReplyCache(current_session().answers) as cache:
                self._answer(cache)
            for open_trial in self._runnable():
                with open_trial.timed(), limited(max_concurrency=self.spec.workers), _attempt():
                    runs[open_trial.trial.name] = open_trial.run.score()
                if why := open_trial.why_unanswered():  # every question failed for a different reason
                    open_trial.trial.fail(InputError(why))
        finally:
            self._opened = [
                run for run in self._opened if not (run.trial.problem and delete_unused(run.path))
            ]
            self._write_state(runs)
        return ExperimentResults(
            runs,
            failures={trial.name: trial.problem for trial in self.trials.every if trial.problem},
            settings={trial.name: trial.configuration.settings for trial in self.trials.every},
            folder=self.out,
        )

    def _runnable(self) -> list[OpenTrial]:
        """The configurations that can run.

        Raises:
            InputError: if there is none because none can be built.
            ComponentError: if there is none because a component failed: no question got an answer, or an
                index cannot be built.
        """
        runnable = [open_trial for open_trial in self._opened if not open_trial.trial.problem]
        if not runnable:
            raise ComponentError(self._why_none())
        return runnable

    def _why_none(self) -> str:
        trials = self.trials.every
        first, reasons = trials[0], len({trial.problem for trial in trials})
        more = f" (and {reasons - 1} other reason{'s' * (reasons > 2)})" if reasons > 1 else ""  # noqa: PLR2004
        return f"no configuration can run: {first.name}: {first.problem}{more}"

    def check(self, prices: Prices | None) -> None:
        """Build and check everything before a folder is made or a model is called.

        Args:
            prices: prices of tokens of the session to come.

        Raises:
            InputError: for an unknown primary measure, and if no configuration can run.
        """
        self.prepare(prices)
        if all(trial.problem for trial in self.trials.every):
            raise InputError(self._why_none())

    def prepare(self, prices: Prices | None) -> None:
        """Build the query pipelines, and add what answers take to the metrics; configurations may fail.

        Usage that earlier calls did not measure is not added, since their runs have other metrics.

        Raises:
            InputError: for an unknown primary measure.
        """
        self._priced = prices is not None
        self._before = read_state(self.out)
        if self.trials.indexes:
            indexes = self._before.get("indexes", {})
            self.trials.indexes.known = {key: BuiltIndex(**facts) for key, facts in indexes.items()}
        self.trials.build(self.spec)
        self._usage = self._before.get("usage") or self._known_usage()
        self.evaluation = with_usage(self.evaluation, self._usage)
        data = repeated(self.questions, self.spec.repeats)
        measures = [self._measures(trial, data) for trial in self.trials.every if trial.query is not None]
        names = next(filter(None, measures), None)
        check_primary(self.spec.primary, names)
        Margins.checked(self.spec.margins, self.spec.margin, names or self.spec.margins)

    def _measures(self, trial: Trial, data: Dataset) -> list[str]:
        """Names of the measures of a configuration; none if its answers lack a column that a metric needs."""
        query: Any = trial.query
        columns = answer_columns(query, data, sockets_of(self.evaluation), priced=self._priced)
        try:
            results = answer_plan(self.evaluation, data, columns).dry_run()
        except InputError as error:
            trial.fail(error)
            return []
        return [measure.name for result in results for measure in result.measures]

    def _open(self) -> None:
        """Create or open the run directories."""
        for trial in self.trials.every:
            if trial.query is None:
                continue
            try:
                run = self.open_run(trial, trial.query)
            except InputError as error:
                trial.fail(error)
            else:
                ended = STOPPED in run.directory.manifest
                self._opened.append(OpenTrial(trial, run, set() if ended else set(run.store.open_blocks())))
        self._write_state({})

    def _known_usage(self) -> list[str]:
        """What answers take, as far as it is known: time always, tokens of generators, money with prices."""
        calls = any(trial.query and trial.query.generators for trial in self.trials.every)
        return [LATENCY, *([TOKENS] if calls else []), *([COST] if calls and self._priced else [])]

    def folder(self, trial: Trial) -> Path:
        """The run directory of a configuration."""
        return self.out / trial.folder(self._fingerprint)

    def open_run(self, trial: Trial, query: QueryPipeline) -> AnsweredRun:
        """Create or open the run directory of a configuration.

        Raises:
            InputError: if a metric lacks a column, or a pipeline cannot be serialised.
            RunDirectoryError: if the folder holds another run, or cannot be written.
        """
        return AnsweredRun(
            self.folder(trial),
            query,
            self.evaluation,
            self.questions,
            name=trial.name,
            settings=trial.configuration.described,
            repeats=self.spec.repeats,
            block=self._block,
            primary=self.spec.primary,
            facts={"factors": trial.configuration.factors, **self._planned(trial)},
            **({} if self.spec.looks is None else {"chunk_size": self._block}),
            priced=self._priced,
        )

    def _answer(self, cache: ReplyCache) -> None:
        """Ask the questions block by block, each block with all configurations.

        At any moment all configurations have answered the same questions, except for one block.
        """
        account, runnable = current_session().account, self._runnable()
        with ExperimentProgress(runnable, account, shown=self.spec.progress) as progress:
            for number in sorted({number for open_trial in runnable for number in open_trial.open_blocks}):
                for open_trial in runnable:
                    if number not in open_trial.open_blocks or open_trial.trial.problem:
                        continue
                    if is_spent(account):
                        return
                    with open_trial.timed():
                        self._ask(open_trial, number, cache, progress)
                if self.spec.looks is not None and self._decided(number + 1):
                    return

    def _planned(self, trial: Trial) -> dict[str, Any]:
        """The manifest entry of planned looks at the comparison with the other configuration; empty without."""
        if self.spec.looks is None:
            return {}
        (other,) = [each.name for each in self.trials.every if each is not trial]
        margins = self.spec.margin, self.spec.margins
        return looks_entry(self.spec.looks, len(self.questions), other, *margins)

    def _decided(self, blocks: int) -> bool:
        """Whether the first blocks of questions decide the comparison, so that the experiment ends here."""
        if len(self._opened) < 2 or any(each.trial.problem for each in self._opened):  # noqa: PLR2004
            return False
        runs = []
        for each in self._opened:
            with each.timed(), limited(max_concurrency=self.spec.workers), _attempt():
                runs.append(each.run.score(blocks))
        looks = Looks(self.spec.looks or 0, runs[0], self.spec.margin, self.spec.margins)
        why = looks.decided(runs[1])
        for each, results in zip(self._opened, runs, strict=True):
            if why:
                each.run.directory.stop(len(results), why)
        return bool(why)

    def _ask(
        self, open_trial: OpenTrial, number: int, cache: ReplyCache, progress: ExperimentProgress
    ) -> None:
        try:
            self._build_index(open_trial.trial.index)
            open_trial.run.answer(
                [number],
                workers=self.spec.workers,
                cache=cache,
                account=current_session().account,
                done=progress.advance,
            )
        except InputError as error:  # the index, or no question of the first block got an answer
            open_trial.trial.fail(error)
        else:
            open_trial.open_blocks.discard(number)
            progress.failed += open_trial.failures(number)

    def _build_index(self, index: Index | None) -> None:
        """Build an index at its first use.

        Raises:
            InputError: with the component's message; later configurations with this index get the same error.
        """
        indexes = self.trials.indexes
        if indexes is None or index is None or index.key in indexes.built:
            return
        if index.key not in self._broken:
            try:
                indexes.build(index)
            except Exception as error:  # noqa: BLE001  # components raise errors of any class
                self._broken[index.key] = f"the index cannot be built: {component_failure(error)}"
        if index.key in self._broken:
            raise InputError(self._broken[index.key])

    def _write_state(self, runs: dict[str, EvaluationResults]) -> None:
        """Write `experiment.json`: the state of this call replaces entries of earlier calls."""
        before, spec = self._before, self.spec
        known, replaced = dict(before.get("configurations", {})), set(before.get("earlier", []))
        folders = {open_trial.trial.name: open_trial.path.name for open_trial in self._opened}
        for trial in self.trials.every:
            last, folder = known.get(trial.name, {}), folders.get(trial.name)
            same = last.get("folder") == folder
            replaced |= {last["folder"]} if last.get("folder") and folder and not same else set()
            seconds = last.get("seconds", 0.0) if same else 0.0
            known[trial.name] = _entry(trial, folder, runs.get(trial.name), seconds)
        built = self.trials.indexes.built if self.trials.indexes else {}
        indexes = {
            key: {"seconds": index.seconds, "documents": index.documents} for key, index in built.items()
        }
        state = {
            "started": before.get("started", now()),
            "updated": now(),
            "grid": {name: _plain(getattr(spec, name)) for name in ("vary", "exclude", "configurations")},
            "questions": {"name": self.questions.name, "items": len(self.questions), "repeats": spec.repeats},
            "usage": self._usage,
            "indexes": before.get("indexes", {}) | indexes,
            "current": [trial.name for trial in self.trials.every],
            "configurations": known,
            "earlier": sorted(replaced),
        }
        write_state(self.out, state)


def _plain(value: Any) -> Any:
    """What varies as plain data; an object, which a factory takes, by its class."""
    return json.loads(json.dumps(value, default=lambda entry: type(entry).__name__))


def _entry(
    trial: Trial, folder: str | None, results: EvaluationResults | None, seconds: float
) -> dict[str, Any]:
    """What `experiment.json` says about a configuration; `seconds` are those of earlier calls."""
    complete = "complete" if results is not None and results.complete else "incomplete"
    entry: dict[str, Any] = {
        "folder": folder,
        "settings": trial.configuration.described,
        "index": trial.index.key if trial.index else None,
        "state": "failed" if trial.problem else complete,
        "seconds": round(seconds + trial.seconds, 3),
    }
    return entry | ({"problem": trial.problem} if trial.problem else {})


def _attempt() -> AbstractContextManager[Any]:
    """Retry judges that stopped answering in an earlier call."""
    return current_session().breakers.attempt()
