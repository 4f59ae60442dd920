"""The pipelines of an experiment: as a Haystack pipeline, its YAML, or a factory; with settings applied."""

import copy
import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from haystack import Pipeline

from thresher.errors import InputError
from thresher.files.texts import whole_text
from thresher.pipelines.component_failures import component_failure
from thresher.pipelines.experiments.paths import SettingPath
from thresher.pipelines.experiments.settings import (
    EditedPipeline,
    Settings,
    Sockets,
    edit,
    is_definition,
    unknown_component,
)
from thresher.pipelines.experiments.stores import (
    allowed_modules,
    share_local_stores,
)
from thresher.pipelines.loading import built, parsed
from thresher.pipelines.pipeline_text import problem
from thresher.pipelines.sent_secrets import Consent
from thresher.results.suggestions import suggest


class PipelineSource(Protocol):
    """Where the pipelines of an experiment come from."""

    @property
    def words(self) -> Collection[str]:
        """Words without a dot that name something that a setting can replace, for suggestions."""

    def is_address(self, word: str) -> bool:
        """Whether a word without a dot names something that a setting can replace."""

    def edit(self, settings: Settings) -> EditedPipeline:
        """Apply settings; raise InputError for an unknown path before anything is built."""

    def build(self, edited: EditedPipeline) -> Pipeline:
        """Create the pipeline; raises InputError, or what a factory raises."""


@dataclass(frozen=True)
class DefinedPipeline:
    """A pipeline with a definition: a Haystack pipeline or its YAML.

    Attributes:
        data: as `Pipeline.to_dict` returns it.
        where: its name in messages.
        consent: what the user allows a file.
        original: the given object, if it was not a file.
    """

    data: dict[str, Any]
    where: str
    consent: Consent = field(default_factory=Consent)
    original: Pipeline | None = None

    @property
    def components(self) -> Mapping[str, Any]:
        """The definitions of the components by name."""
        components: Mapping[str, Any] = self.data["components"]
        return components

    @property
    def words(self) -> Collection[str]:
        """Names of the components."""
        return self.components.keys()

    def is_address(self, word: str) -> bool:
        """Whether a component has this name."""
        return word in self.components

    def edit(self, settings: Settings) -> EditedPipeline:
        """Apply settings."""
        return edit(self.data, settings, lambda: self.sockets)

    @cached_property
    def sockets(self) -> Sockets:
        """The open inputs of the unchanged pipeline."""
        pipeline = self.original or self.build(EditedPipeline(self.data))
        sockets: Sockets = pipeline.inputs()
        return sockets

    def build(self, edited: EditedPipeline) -> Pipeline:
        """Create the pipeline.

        Raises:
            InputError: with the message of the component that cannot be created.
        """
        data = copy.deepcopy(edited.data)
        if self.original is None:
            return built(data, self.where, self.consent)
        try:
            pipeline: Pipeline = Pipeline.from_dict(data, allowed_modules=allowed_modules(data))
        except Exception as error:  # components raise errors of any class
            raise InputError(component_failure(error)) from error
        share_local_stores(self.original, pipeline)
        return pipeline


@dataclass(frozen=True)
class FactoryPipeline:
    """A function `make(**settings)` that returns a Haystack pipeline.

    Attributes:
        make: the function.
    """

    make: Callable[..., Pipeline]

    @cached_property
    def keywords(self) -> dict[str, inspect.Parameter]:
        """The parameters of the function."""
        return dict(inspect.signature(self.make).parameters)

    @property
    def words(self) -> Collection[str]:
        """The function's keywords."""
        return self.keywords.keys()

    @property
    def _takes_any(self) -> bool:
        return any(entry.kind is entry.VAR_KEYWORD for entry in self.keywords.values())

    def is_address(self, word: str) -> bool:
        """Whether the function has this keyword."""
        return self._takes_any or word in self.keywords

    def edit(self, settings: Settings) -> EditedPipeline:
        """Separate keywords from run-time inputs; the inputs are checked when the pipeline exists."""
        edited = EditedPipeline({})
        for text, value in settings.items():
            path = SettingPath.parse(text)
            if len(path.keys) == 1:
                edited.inputs.setdefault(path.component, {})[path.keys[0]] = value
            elif not path.keys and self.is_address(path.component):
                edited.data[path.component] = value
            else:
                likely = suggest(path.component, self.keywords)
                known = ", ".join(self.keywords) or "none"
                raise InputError(f"{path}: the factory has no keyword {str(path)!r}{likely}; it has {known}")
        return edited

    def build(self, edited: EditedPipeline) -> Pipeline:
        """Call the function.

        Raises:
            InputError: if it returns something else, or the pipeline has no such run-time input.
        """
        pipeline = self.make(**edited.data)
        if not isinstance(pipeline, Pipeline):
            raise InputError(f"the factory returned {type(pipeline).__name__}, not a Haystack pipeline")
        sockets = pipeline.inputs()
        for component, values in edited.inputs.items():
            for socket in values:
                _check_socket(SettingPath(component, (socket,)), pipeline, sockets)
        return pipeline

    def takes_index(self) -> bool:
        """Whether the function takes the name of an index."""
        return "index" in self.keywords or self._takes_any


def _check_socket(path: SettingPath, pipeline: Pipeline, sockets: Sockets) -> None:
    if path.component not in pipeline.graph.nodes:
        raise unknown_component(path, dict.fromkeys(pipeline.graph.nodes))
    known = sockets.get(path.component, {})
    if path.keys[0] not in known:
        likely, listed = suggest(path.keys[0], known), ", ".join(known) or "none"
        raise InputError(f"{path}: there is no open input {path.keys[0]!r}{likely}; there are {listed}")


def pipeline_source(given: Any, *, trust: bool = False, what: str = "the pipeline") -> PipelineSource:
    """Read the pipeline that a user gives.

    Args:
        given: a Haystack pipeline, the path of its YAML or the YAML itself, or a function that returns one.
        trust: whether a file may send any environment variable to any address.
        what: its name in messages.

    Raises:
        InputError: for another object, a file that does not hold a pipeline, or a pipeline without a
            definition.
    """
    if isinstance(given, Pipeline):
        return DefinedPipeline(_to_dict(given), what, original=given)
    if isinstance(given, str | Path):
        return _from_text(given, Consent(trust=trust), what)
    if callable(given):
        return FactoryPipeline(given)
    raise InputError(
        f"{what} is {type(given).__name__}; give a Haystack pipeline, its YAML file, or a function that "
        "returns one"
    )


def _from_text(given: str | Path, consent: Consent, what: str) -> DefinedPipeline:
    if isinstance(given, str) and "\n" in given:
        text, where = given, what
    elif Path(given).is_file():
        text, where = whole_text(Path(given)), str(given)
    else:
        raise InputError(f"{given} does not exist; give the YAML file of a Haystack pipeline")
    data = parsed(text, where)
    if not (isinstance(data, dict) and isinstance(data.get("components"), dict)):
        raise InputError(f"{where} is not a pipeline: it has no mapping `components`")
    for name, part in data["components"].items():
        if not (isinstance(name, str) and is_definition(part)):
            raise InputError(
                f"{where}: component {name!r} is not a mapping of `type`, a text, and `init_parameters`"
            )
    return DefinedPipeline(data, where, consent)


def _to_dict(pipeline: Pipeline) -> dict[str, Any]:
    try:
        data: dict[str, Any] = pipeline.to_dict()
    except Exception as error:  # any `to_dict` of a component may raise
        raise InputError(
            f"{problem(pipeline, error)}; an experiment stores what it runs: give the component a to_dict, "
            "and read keys with Secret.from_env_var"
        ) from error
    return data
