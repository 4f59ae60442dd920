"""Document stores in the definitions of pipelines."""

import copy
import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from haystack import Pipeline
from haystack.components.writers import DocumentWriter
from haystack.dataclasses import Document
from haystack.document_stores.in_memory import InMemoryDocumentStore

from thresher.errors import InputError
from thresher.pipelines.experiments.levels import canonical, digest
from thresher.pipelines.experiments.settings import class_of
from thresher.plugins import plugin_packages, top_package
from thresher.version import COMPONENT_MODULES

IN_MEMORY = "haystack.document_stores.in_memory.document_store.InMemoryDocumentStore"
_NAMES = {"index", "shared"}
"""Parameters of an in-memory store that say where the documents are, not how they are searched."""


def stores_of(data: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the path and the definition of each document store among the parameters of components."""
    for name, part in data["components"].items():
        for parameter, value in (part.get("init_parameters") or {}).items():
            if isinstance(value, dict) and isinstance(value.get("type"), str) and is_store(value["type"]):
                yield f"{name}.{parameter}", value


def is_store(kind: str) -> bool:
    """Whether a class is a document store."""
    found = class_of(kind)
    return kind.endswith("DocumentStore") or (found is not None and hasattr(found, "count_documents"))


def is_in_memory(store: Mapping[str, Any]) -> bool:
    """Whether a definition is that of Haystack's in-memory store."""
    return bool(store["type"] == IN_MEMORY or store["type"].endswith(".InMemoryDocumentStore"))


def parameters_of(store: Mapping[str, Any]) -> dict[str, Any]:
    """The given parameters of a store without the name of its index."""
    return {name: value for name, value in (store.get("init_parameters") or {}).items() if name not in _NAMES}


def point_at(
    data: Mapping[str, Any], index: str, parameter: str, in_memory: Mapping[str, Any]
) -> dict[str, Any]:
    """A copy of a definition whose stores use an index.

    Documents of in-memory stores with the same `index` are shared within a process. For other stores,
    `parameter` holds the name, e.g. `index` or `collection_name`; the given name is a prefix of the new one.

    Args:
        data: the definition of a pipeline.
        index: name of the index.
        parameter: parameter of other stores than Haystack's in-memory one.
        in_memory: parameters of in-memory stores.

    Raises:
        InputError: if a store lacks the parameter.
    """
    copied = copy.deepcopy(dict(data))
    for path, store in stores_of(copied):
        options = store["init_parameters"] = dict(store.get("init_parameters") or {})
        if is_in_memory(store):
            options |= {**in_memory, "index": index, "shared": True}
        elif takes(store, parameter):
            options[parameter] = f"{options.get(parameter) or 'thresher'}_{index}"
        else:
            raise InputError(
                f"{path}: {store['type'].rpartition('.')[2]} has no parameter {parameter!r}; name the one "
                "that holds its collection with index_parameter (--index-parameter)"
            )
    return copied


def takes(store: Mapping[str, Any], parameter: str) -> bool:
    """Whether the class of a store has an init parameter."""
    kind = class_of(store["type"])
    return kind is None or parameter in inspect.signature(kind.__init__).parameters


def contents(pipeline: Pipeline) -> list[str]:
    """A hash of the documents of each in-memory store that does not depend on their order."""
    return [
        digest(
            sorted(
                canonical([document.id, document.content, document.meta])
                for document in store.filter_documents()
            )
        )
        for _, _, store in _local(pipeline)
    ]


def share_local_stores(original: Pipeline, pipeline: Pipeline) -> None:
    """Give a rebuilt pipeline the in-memory stores of the original that are not shared by name."""
    for name, attribute, store in _local(original):
        part = pipeline.get_component(name) if name in pipeline.graph.nodes else None
        other = getattr(part, attribute, None)
        if isinstance(other, InMemoryDocumentStore) and other.to_dict() == store.to_dict():
            setattr(part, attribute, store)


def stores_in(pipeline: Pipeline) -> list[Any]:
    """The document stores that components of a pipeline hold, each once."""
    values = [value for name in pipeline.graph.nodes for value in vars(pipeline.get_component(name)).values()]
    return list({id(value): value for value in values if hasattr(value, "count_documents")}.values())


def local_documents(pipeline: Pipeline) -> list[Document]:
    """The documents in the in-memory stores of a pipeline."""
    return [document for _, _, store in _local(pipeline) for document in store.filter_documents()]


def empty_stores(pipeline: Pipeline) -> list[str]:
    """Names of Haystack's components whose in-memory store holds no documents, and gets none here."""
    local = list(_local(pipeline))
    written = {store.index for name, _, store in local if _writes(pipeline, name)}
    return [name for name, _, store in local if not store.count_documents() and store.index not in written]


def _writes(pipeline: Pipeline, name: str) -> bool:
    """Whether a component may fill its store; those of other packages may do so when they warm up."""
    part = pipeline.get_component(name)
    return isinstance(part, DocumentWriter) or top_package(type(part).__module__) != "haystack"


def allowed_modules(data: Any) -> list[str]:
    """Top-level packages of all classes in the definition of a pipeline that this process has built."""
    others = {*plugin_packages(), *(top_package(kind) for kind in _types(data))} - {"thresher"}
    return [*COMPONENT_MODULES, *sorted(others)]


def _types(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(value.get("type"), str):
            yield value["type"]
        for inner in value.values():
            yield from _types(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _types(inner)


def _local(pipeline: Pipeline) -> Iterator[tuple[str, str, InMemoryDocumentStore]]:
    """Component, attribute and in-memory store, for each such attribute."""
    for name in pipeline.graph.nodes:
        for attribute, value in vars(pipeline.get_component(name)).items():
            if isinstance(value, InMemoryDocumentStore):
                yield name, attribute, value
