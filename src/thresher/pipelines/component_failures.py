"""Which component of a pipeline raised an exception, and what it said, without Haystack's wrapping."""

import re
from collections.abc import Iterator

from haystack.core.errors import PipelineRuntimeError

from thresher.errors import ThresherError

_CREATED = re.compile(r"Couldn't deserialize component '(.+?)' of class '(\w+)'")


def root_cause(error: BaseException) -> BaseException:
    """The exception of the component itself, which Haystack wraps; a KeyError has only the key as message."""
    *_, cause = _chain(error)
    return cause


def component_failure(error: BaseException) -> str:
    """Return the component with its class, the exception's class, and its message, in one line.

    The component is missing where Haystack does not name it, as for a wrong connection; the class of the
    exception, where its message is written for users.
    """
    cause = root_cause(error)
    text = " ".join(str(cause).split())
    place = next(filter(None, map(_place, _chain(error))), "")
    if not isinstance(cause, ThresherError) and place:
        text = f"{type(cause).__name__}: {text}".removesuffix(": ")
    return f"{place}: {text}" if place else text or type(cause).__name__


def _place(error: BaseException) -> str:
    if isinstance(error, PipelineRuntimeError):
        return error.component_name or ""
    created = _CREATED.match(str(error))
    return f"{created[1]} ({created[2]})" if created else ""


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = None if isinstance(error.__cause__, KeyError) else error.__cause__
