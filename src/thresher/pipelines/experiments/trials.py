"""Configurations with their pipelines, indexes and folders."""

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.errors import InputError, ThresherError
from thresher.pipelines.answering import QueryPipeline, answers_identity
from thresher.pipelines.answering.answered_run import AnsweredRun
from thresher.pipelines.answering.questions import failures
from thresher.pipelines.experiments.configuration import Configuration
from thresher.pipelines.experiments.grid import GridReader
from thresher.pipelines.experiments.indexes import Index, Indexes, with_index
from thresher.pipelines.experiments.levels import is_short, labels_of
from thresher.pipelines.experiments.paths import SettingPath
from thresher.pipelines.experiments.settings import EditedPipeline, Settings
from thresher.pipelines.experiments.sources import (
    DefinedPipeline,
    FactoryPipeline,
    PipelineSource,
    pipeline_source,
)
from thresher.pipelines.experiments.spec import ExperimentSpec
from thresher.pipelines.experiments.stores import contents, empty_stores
from thresher.plugins import described_error
from thresher.results.redaction import redacted, redacted_message

_UNFIT = re.compile(r"[^\w.,=+@()-]+")
"""Characters that a file system or a shell may not take in the name of a folder."""
_EMPTY = (
    "{}: the in-memory store is empty; give an indexing pipeline and documents (--indexing, --documents), or "
    "in Python a Pipeline whose store holds documents"
)
_LONGEST = 200
_DIGITS = 8


@dataclass
class Trial:
    """A configuration with its pipeline and index.

    Attributes:
        configuration: its name and settings.
        edited: its query pipeline, reading from its index.
        index: the index; None without an indexing pipeline.
        query: the built query pipeline; None if it cannot be built, or is not needed any more.
        identity: hash of all that the answers depend on, except settings and questions.
        problem: why it cannot run; empty if it can.
        seconds: time of this process for its answers and scores.
    """

    configuration: Configuration
    edited: EditedPipeline
    index: Index | None = None
    query: QueryPipeline | None = None
    identity: str = ""
    problem: str = ""
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """The configuration's name."""
        return self.configuration.name

    def folder(self, questions: str) -> str:
        """Name of the folder: readable, and bound to pipeline, settings and questions.

        Args:
            questions: fingerprint of the questions.
        """
        bound = answers_identity(
            pipeline=self.identity, settings=self.configuration.described, questions=questions
        )
        readable = _UNFIT.sub("_", self.name).strip(".")[:_LONGEST] or "configuration"
        while len(readable.encode()) > _LONGEST:
            readable = readable[:-1]
        return f"{readable}-{bound[:_DIGITS]}"

    def fail(self, error: BaseException) -> None:
        """Record why the configuration cannot run, with its settings of the component that failed."""
        self.query = None
        own = isinstance(error, ThresherError)
        reason = redacted_message(" ".join(str(error).split()) if own else described_error(error))
        values = ", ".join(f"{path}={value!r}" for path, value in self._settings_in(reason))
        self.problem = f"{reason} (with {values})" if values else reason

    def _settings_in(self, reason: str) -> Iterator[tuple[str, Any]]:
        """The settings of components that a reason names; the label of a long value is in the name."""
        levels = self.configuration.levels
        for path, value in self.configuration.described.items():
            if levels.get(path, "") not in ("", *labels_of([value])):  # the content of a file, say
                continue
            component = re.escape(SettingPath.parse(path).component)
            if is_short(value) and path not in reason and re.search(rf"\b{component}\b", reason):
                yield path, redacted(value, path.rpartition(".")[2])


@dataclass(frozen=True)
class OpenTrial:
    """A configuration with its run directory.

    Attributes:
        trial: the configuration.
        run: its run directory.
        open_blocks: numbers of the blocks of questions that lack an answer.
    """

    trial: Trial
    run: AnsweredRun
    open_blocks: set[int]

    @property
    def path(self) -> Path:
        """The run directory."""
        return self.run.directory.path

    @property
    def rows(self) -> int:
        """Number of questions in the open blocks."""
        return sum(len(self.run.store.rows(number)) for number in self.open_blocks)

    def why_unanswered(self) -> str:
        """Why no question has an answer; empty if one has, or if some were not asked."""
        responses = self.run.store.responses()
        return failures(responses) if all(response and response.problem for response in responses) else ""

    def failures(self, number: int) -> int:
        """Number of questions of a block that got no answer."""
        return sum(response.problem != "" for response in self.run.store.read(number) or ())

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Add the time of the block to that of the configuration."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.trial.seconds += time.perf_counter() - begin


@dataclass(frozen=True)
class Trials:
    """All configurations of an experiment.

    Attributes:
        source: the query pipeline.
        indexes: the indexing pipeline; None without one.
        every: the configurations, in the order of the grid.
    """

    source: PipelineSource
    indexes: Indexes | None
    every: list[Trial]

    @classmethod
    def of(cls, spec: ExperimentSpec) -> "Trials":
        """Read the pipelines and the grid, and apply all settings.

        Raises:
            InputError: for a path that does not exist, or an unusable grid. Nothing is built before.
        """
        source = pipeline_source(spec.pipeline, trust=spec.trust)
        indexes = _indexes(spec)
        sides = _Sides(source, indexes.source if indexes else None)
        reader = GridReader(sides.is_address, sides.words, spec.folder, sides.is_component)
        cells = reader.configurations(spec.vary, spec.exclude, spec.configurations)
        return cls(source, indexes, [_trial(cell, sides, indexes) for cell in cells])

    def build(self, spec: ExperimentSpec) -> None:
        """Create the query pipelines; record why one cannot be created, or finds nothing."""
        for trial in self.every:
            try:
                pipeline = self.source.build(trial.edited)
                if trial.index is None and (empty := empty_stores(pipeline)):
                    trial.problem = _EMPTY.format(", ".join(empty))
                    continue
                inputs = _joined_inputs(spec.pipeline_inputs, trial.edited.inputs)
                query = QueryPipeline(pipeline, spec.question_to, inputs, spec.answer_from)
                documents = contents(pipeline) if trial.index is None else []
                trial.identity = answers_identity(pipeline=query.fingerprint(), documents=documents)
                trial.query = query
            except Exception as error:  # noqa: BLE001  # components and factories raise errors of any class
                trial.fail(error)


@dataclass(frozen=True)
class _Sides:
    """Which of the two pipelines a path belongs to."""

    query: PipelineSource
    indexing: DefinedPipeline | None

    @property
    def words(self) -> list[str]:
        """Words without a dot that can be set, for suggestions."""
        return [*self.query.words, *(self.indexing.words if self.indexing else ())]

    def is_address(self, word: str) -> bool:
        """Whether a word names a component, or a keyword of a factory."""
        return self.query.is_address(word) or (self.indexing is not None and self.indexing.is_address(word))

    def is_component(self, word: str) -> bool:
        """Whether a word names a component of a definition."""
        return any(
            isinstance(one, DefinedPipeline) and one.is_address(word) for one in (self.query, self.indexing)
        )

    def split(self, settings: Settings) -> tuple[dict[str, Any], dict[str, Any]]:
        """The settings of the query pipeline and of the indexing pipeline.

        Raises:
            InputError: for a component that both pipelines have, or an indexing pipeline that is missing.
        """
        query: dict[str, Any] = {}
        indexing: dict[str, Any] = {}
        for text, value in settings.items():
            (indexing if self._is_indexing(SettingPath.parse(text)) else query)[text] = value
        return query, indexing

    def _is_indexing(self, path: SettingPath) -> bool:
        if self.indexing is None:
            if path.side == "indexing":
                raise InputError(f"{path}: there is no indexing pipeline: give indexing (--indexing)")
            return False
        if path.side is not None:
            return path.side == "indexing"
        both = self.query.is_address(path.component), self.indexing.is_address(path.component)
        if all(both):
            raise InputError(
                f"{path}: both pipelines have a component {path.component!r}: write query:{path} or "
                f"indexing:{path}"
            )
        return both[1]


def _indexes(spec: ExperimentSpec) -> Indexes | None:
    if spec.indexing is None:
        return None
    source = pipeline_source(spec.indexing, trust=spec.trust, what="the indexing pipeline")
    if not isinstance(source, DefinedPipeline):
        raise InputError("indexing must be a Haystack pipeline or its YAML file, not a function")
    return Indexes(source, spec.documents, spec.index_parameter)


def _trial(cell: Configuration, sides: _Sides, indexes: Indexes | None) -> Trial:
    query_settings, index_settings = sides.split(cell.settings)
    edited = sides.query.edit(query_settings)
    if indexes is None:
        return Trial(cell, edited)
    definition = None if isinstance(sides.query, FactoryPipeline) else edited.data
    index = indexes.index_for(index_settings, definition, query_settings)
    return Trial(cell, with_index(sides.query, edited, index, indexes.parameter), index)


def _joined_inputs(
    given: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Run-time inputs of all configurations, and those of one, which override them."""
    return {part: {**given.get(part, {}), **settings.get(part, {})} for part in {**given, **settings}}
