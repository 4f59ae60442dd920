"""Indexes of an experiment: one for each distinct configuration of the indexing pipeline, built once."""

import copy
import hashlib
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from haystack import Document, Pipeline
from haystack.document_stores.in_memory import InMemoryDocumentStore

from thresher.errors import InputError
from thresher.pipelines.experiments.documents import read_documents
from thresher.pipelines.experiments.levels import canonical, digest
from thresher.pipelines.experiments.prompt_estimate import sample_passages
from thresher.pipelines.experiments.settings import EditedPipeline, Settings
from thresher.pipelines.experiments.sources import DefinedPipeline, FactoryPipeline, PipelineSource
from thresher.pipelines.experiments.stores import is_in_memory, parameters_of, point_at, stores_in, stores_of
from thresher.pipelines.pipeline_text import without_credentials

_SOURCES = ("sources", "paths", "file_paths")
"""Inputs of converters, which take files instead of Documents."""


@dataclass(frozen=True)
class Index:
    """One configuration of the indexing pipeline.

    Attributes:
        key: hash of the indexing pipeline with its settings, the documents, and the stores' parameters.
        settings: the settings of the indexing pipeline.
        pipeline: the indexing pipeline, writing to stores that are named by the key.
        store_parameters: parameters of in-memory stores, for the query pipeline too.
    """

    key: str
    settings: dict[str, Any]
    pipeline: EditedPipeline
    store_parameters: dict[str, Any]


@dataclass(frozen=True)
class BuiltIndex:
    """How an index was built.

    Attributes:
        seconds: duration of the run of the indexing pipeline.
        documents: number of documents that it read.
    """

    seconds: float
    documents: int


_BUILT: dict[str, BuiltIndex] = {}
"""Key -> in-memory index that this process has built: stores of one name share their documents."""


class Indexes:
    """Plans and builds the indexes.

    Args:
        source: the indexing pipeline.
        documents: what it reads: documents, or a file or folder of them.
        parameter: parameter of stores other than Haystack's in-memory one that holds the collection's name.

    Attributes:
        built: key -> how the index was built, for those that are ready.
        known: the same for indexes that an earlier call of the experiment has built.
    """

    def __init__(self, source: DefinedPipeline, documents: Any, parameter: str = "index") -> None:
        self.source = source
        self.parameter = parameter
        self.built: dict[str, BuiltIndex] = {}
        self.known: dict[str, BuiltIndex] = {}
        self._documents = documents
        self._passages: dict[str, list[Document]] = {}

    def index_for(
        self, settings: Settings, query: Mapping[str, Any] | None, query_settings: Settings
    ) -> Index:
        """The index for settings of the indexing pipeline, and a query pipeline that reads from it.

        Args:
            settings: those of the indexing pipeline.
            query: the definition of the query pipeline with its settings; None for a factory. Its in-memory
                stores and those of the indexing pipeline are the same store, so each parameter that one of
                them sets holds for both.
            query_settings: the settings of the query pipeline.

        Raises:
            InputError: for an unknown path, or stores that set a parameter to different values.
        """
        edited = self.source.edit(settings)
        places = [*stores_of(edited.data), *(stores_of(query) if query is not None else ())]
        _check_single(edited.data)
        _check_single(query or {"components": {}})
        chosen = {path.rpartition(":")[2] for path in (*settings, *query_settings)}
        shared = _shared_parameters(places, chosen)
        identity = [without_credentials(_unnamed(edited.data, shared)), edited.inputs, self.fingerprint]
        key = digest(identity)
        data = point_at(edited.data, key, self.parameter, shared)
        return Index(key, dict(settings), EditedPipeline(data, edited.inputs), shared)

    def build(self, index: Index) -> BuiltIndex:
        """Run the indexing pipeline, unless the index exists.

        An in-memory index exists if this process has built it, in this experiment or another one; an index in
        another store, if an earlier call of this experiment has built it and its store still holds documents.

        Raises:
            Exception: whatever a component raises.
        """
        if index.key not in self.built:
            pipeline = self.source.build(index.pipeline)
            self.built[index.key] = self._existing(index, pipeline) or self._run(index, pipeline)
        return self.built[index.key]

    def _existing(self, index: Index, pipeline: Pipeline) -> BuiltIndex | None:
        stores = stores_in(pipeline)
        local = [store for store in stores if isinstance(store, InMemoryDocumentStore)]
        known = (_BUILT if len(local) == len(stores) else self.known).get(index.key)
        if known is not None and all(store.count_documents() for store in stores):
            return known
        for store in local:  # what a failed run left
            store.delete_documents([document.id for document in store.filter_documents()])
        return None

    def _run(self, index: Index, pipeline: Pipeline) -> BuiltIndex:
        begin = time.perf_counter()
        component, socket = self._socket
        inputs = copy.deepcopy(index.pipeline.inputs)
        inputs.setdefault(component, {})[socket] = [copy.copy(entry) for entry in self._material]
        pipeline.run(inputs)
        built = BuiltIndex(round(time.perf_counter() - begin, 3), len(self._material))
        _BUILT[index.key] = built
        return built

    def passages(self, index: Index) -> list[Document]:
        """Passages of the first documents, as the index will hold them; none if that is unknown."""
        if index.key not in self._passages:
            self._passages[index.key] = sample_passages(self.source.build(index.pipeline), self._material)
        return self._passages[index.key]

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the documents, or of the files."""
        return digest(
            [
                [str(entry), hashlib.sha256(entry.read_bytes()).hexdigest()]
                if isinstance(entry, Path)
                else entry.to_dict(flatten=False)
                for entry in self._material
            ]
        )

    @cached_property
    def _socket(self) -> tuple[str, str]:
        """The open input that takes the documents, or the files."""
        sockets = self.source.sockets
        for names in (("documents",), _SOURCES):
            for component, inputs in sockets.items():
                for socket in inputs:
                    if socket in names:
                        return component, socket
        listed = ", ".join(f"{part}.{name}" for part, inputs in sockets.items() for name in inputs)
        raise InputError(
            f"{self.source.where}: no open input takes documents; open are {listed or 'none'}: begin it with "
            "a component that has an input `documents` or `sources`"
        )

    @cached_property
    def _material(self) -> Sequence[Document] | Sequence[Path]:
        """Documents; or files for a pipeline that begins with a converter."""
        if self._socket[1] == "documents":
            return read_documents(self._documents)
        place = Path(self._documents) if isinstance(self._documents, str | Path) else None
        if place is None or not place.exists():
            raise InputError(f"documents: {self.source.where} reads files; give a file or a folder of files")
        return sorted(path for path in place.rglob("*") if path.is_file()) if place.is_dir() else [place]


def with_index(
    source: PipelineSource, edited: EditedPipeline, index: Index, parameter: str
) -> EditedPipeline:
    """The same pipeline, reading from an index.

    Raises:
        InputError: if a factory does not take the index.
    """
    if not isinstance(source, FactoryPipeline):
        return EditedPipeline(
            point_at(edited.data, index.key, parameter, index.store_parameters), edited.inputs
        )
    if not source.takes_index():
        raise InputError(
            "the factory needs a keyword `index`, the name of the document store's index, to be used with an "
            "indexing pipeline"
        )
    return EditedPipeline({**edited.data, "index": index.key}, edited.inputs)


def _unnamed(data: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """A definition without the names of its in-memory indexes, which the key replaces."""
    copied = copy.deepcopy(dict(data))
    for _, store in stores_of(copied):
        if is_in_memory(store):
            store["init_parameters"] = dict(shared)
    return copied


def _check_single(data: Mapping[str, Any]) -> None:
    """Raise for a pipeline with two in-memory stores, which one index cannot replace."""
    names = {
        str((store.get("init_parameters") or {}).get("index")): path
        for path, store in stores_of(data)
        if is_in_memory(store)
    }
    if len(names) > 1:
        raise InputError(
            f"{' and '.join(names.values())} are different in-memory stores, and an experiment builds one "
            "index: give both the same `index`, or leave out `indexing` and fill the stores before"
        )


def _shared_parameters(
    places: Sequence[tuple[str, Mapping[str, Any]]], chosen: Collection[str]
) -> dict[str, Any]:
    """The parameters that in-memory stores set; those of settings override the others.

    Raises:
        InputError: if two stores set one to different values.
    """
    values: dict[str, dict[str, Any]] = {}
    for path, store in places:
        for name, value in parameters_of(store).items() if is_in_memory(store) else ():
            values.setdefault(name, {})[f"{path}.{name}"] = value
    shared = {}
    for name, given in values.items():
        deciding = {path: value for path, value in given.items() if path in chosen} or given
        if len({canonical(value) for value in deciding.values()}) > 1:
            listed = " and ".join(f"{path} is {value!r}" for path, value in deciding.items())
            raise InputError(f"{listed}, and both are the store of one index: give both the same value")
        shared[name] = next(iter(deciding.values()))
    return shared
