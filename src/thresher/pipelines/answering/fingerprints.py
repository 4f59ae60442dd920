"""Fingerprint of a query pipeline: equal if it gives the same answers, as far as can be known."""

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

from haystack import Pipeline
from haystack.document_stores.in_memory import InMemoryDocumentStore

from thresher.errors import InputError
from thresher.pipelines.answering.replies import code_of, identity_of
from thresher.pipelines.pipeline_text import PipelineText
from thresher.reports.rendering.text import plain

_RANDOM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""Name of an in-memory index that Haystack chose; it differs in every process."""


def pipeline_fingerprint(pipeline: Pipeline, further: Any = None) -> str:
    """Hash of a pipeline without credentials, and of the code of its components of other packages.

    The ids of its documents identify an in-memory index without a name.

    Args:
        pipeline: the pipeline.
        further: what else its answers depend on, in plain data.

    Raises:
        InputError: if the pipeline cannot be serialised: other settings could not be distinguished.
    """
    text = PipelineText.of(pipeline, pipeline.to_dict)
    known: Any = text.yaml
    if not known:
        known = [[name, identity_of(pipeline.get_component(name))] for name in pipeline.graph.nodes]
        if not text.secret or any(identity is None for _, identity in known):
            raise InputError(f"the answers cannot be stored, since {text.problem}; leave out `out`")
    codes = [code_of(pipeline.get_component(name)) for name in sorted(pipeline.graph.nodes)]
    whole = json.dumps([known, codes, plain(further)], sort_keys=True)
    for store in _stores(pipeline):
        if _RANDOM.fullmatch(store.index):
            ids = sorted(document.id for document in store.filter_documents())
            whole = whole.replace(store.index, hashlib.sha256(json.dumps(ids).encode()).hexdigest())
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def _stores(pipeline: Pipeline) -> Iterator[InMemoryDocumentStore]:
    for name in pipeline.graph.nodes:
        for value in vars(pipeline.get_component(name)).values():
            if isinstance(value, InMemoryDocumentStore):
                yield value
