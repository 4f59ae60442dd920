"""Use a component in a second pipeline, which Haystack does not allow."""

import threading
from copy import copy
from typing import Any

from haystack import Pipeline
from haystack.core.component.sockets import Sockets

_adding = threading.Lock()
"""Held between the check whether a component is free and its use: threads may share a metric."""


def add_component(pipeline: Pipeline, name: str, part: Any) -> None:
    """Add a component to a pipeline, or a copy of it if it belongs to another pipeline."""
    with _adding:
        pipeline.add_component(name, free_component(part))


def free_component(part: Any) -> Any:
    """The component, or a copy of it if it belongs to a pipeline.

    The copy is shallow: it has new sockets and connections, and shares the judge and the models. A copy via
    `to_dict` would load models again, and a judge with a client cannot be serialised.

    Args:
        part: a Haystack component.
    """
    if getattr(part, "__haystack_added_to_pipeline__", None) is None:
        return part
    twin = copy(part)
    twin.__haystack_added_to_pipeline__ = None
    twin.__haystack_input__ = _unconnected(part.__haystack_input__, twin, "senders")
    twin.__haystack_output__ = _unconnected(part.__haystack_output__, twin, "receivers")
    return twin


def _unconnected(sockets: Any, owner: Any, ends: str) -> Sockets:
    plain = {name: copy(socket) for name, socket in sockets._sockets_dict.items()}  # noqa: SLF001
    for socket in plain.values():
        setattr(socket, ends, [])
    return Sockets(owner, plain, sockets._sockets_io_type)  # noqa: SLF001  # Haystack has no public reader
