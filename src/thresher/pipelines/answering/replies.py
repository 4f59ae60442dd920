"""Replies of generators: what identifies a call, what may be stored, and how it is stored."""

import hashlib
import inspect
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from haystack.core.serialization import component_to_dict
from haystack.dataclasses import ChatMessage

from thresher.judges.engine.answering import answer_of
from thresher.judges.engine.identity import class_name, model_of, parameters_of
from thresher.judges.flow import Answer
from thresher.judges.reply import CUT_OFF
from thresher.known_secrets import without_secrets_in, without_spelled_secrets
from thresher.pipelines.provenance import module_code
from thresher.plugins import top_package
from thresher.results.redaction import redacted

_WITHDRAWN = frozenset(
    {*map(str.casefold, CUT_OFF), "content_filter", "safety", "recitation", "refusal", "error", "incomplete"}
)
"""Finish reasons of replies that another call may complete: they are not stored."""
_LOGPROBS = re.compile(r"(?i)log_?prob")
_KEPT = re.compile(r"(?i)content|refusal|\w*candidates|\w*log_?prob\w*")
"""Fields of log-probabilities that lead to their numbers, as OpenAI and Gemini name them."""
_TOKENS = re.compile(r"(?i)tokens$|tokens?_?ids$|(?:input|output)_ids$")
_NOT_IN_THE_KEY = frozenset({"streaming_callback"})
_VERSIONED = frozenset({"haystack", "haystack_integrations", "thresher"})
"""Packages whose components are known by class and parameters; of other components the code counts too."""


@dataclass(frozen=True)
class Reply:
    """Outputs of a generator, and their usage.

    Attributes:
        outputs: what its `run` returned.
        model: the model, as the provider names it, or else the generator.
        input_tokens: tokens sent; None if the generator reports none.
        output_tokens: tokens received; None if the generator reports none.
        seconds: duration of the call; for a stored reply, duration of the original call.
        stored: whether no call was made now.
        cached_tokens: those of the tokens sent that the provider's prompt cache supplied.
        cache_write_tokens: those of the tokens sent that the provider's prompt cache stored.
        reasoning_tokens: those of the tokens received that are reasoning.
    """

    outputs: Mapping[str, Any]
    model: str
    input_tokens: int | None
    output_tokens: int | None
    seconds: float
    stored: bool = False
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0


_DETAILS = ("cached_tokens", "cache_write_tokens", "reasoning_tokens")


def reply_of(source: Any, outputs: Mapping[str, Any], started: float) -> Reply:
    """The reply of a call that began at `started`, on the clock of `time.perf_counter`."""
    seconds = time.perf_counter() - started
    first = answer_of({"replies": _with_meta(outputs)}, seconds, model_of(source))
    model = without_secrets_in(first.model)
    return Reply(outputs, model, *_tokens(first), seconds, **_details(first))


def reply_key(source: Any, inputs: Mapping[str, Any], repeat: int) -> str | None:
    """Key of a call: the generator, all its inputs, and which repeat of the question it belongs to.

    Args:
        source: the generator; its credentials and its name in the pipeline do not count.
        inputs: arguments of its `run`.
        repeat: number of the repeat, from 1.

    Returns:
        None if an input or a parameter has no plain form, so that equal keys could hide different calls.
    """
    identity = parameters_of(source) or _parameters(source)
    given = {name: value for name, value in inputs.items() if name not in _NOT_IN_THE_KEY}
    if identity is None:
        return None
    try:
        text = json.dumps([identity, code_of(source), given, repeat], default=_plain, sort_keys=True)
    except (TypeError, ValueError):
        return None
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def packed(reply: Reply) -> Answer | None:
    """The reply as an entry of an answer cache; None if another call may give a better reply."""
    replies = reply.outputs.get("replies")
    if not replies or not all(map(_is_final, _with_meta(reply.outputs))):
        return None
    plain = {name: value for name, value in reply.outputs.items() if name != "replies"}
    try:
        messages = [entry if isinstance(entry, str) else entry.to_dict() for entry in replies]
        outputs = json.loads(json.dumps(without_secrets_in({"replies": messages, **plain})))
        for holder in (outputs, *outputs["replies"]):
            if isinstance(holder, dict) and "meta" in holder:
                holder["meta"] = _without_tokens(holder["meta"])
        without_spelled_secrets(outputs)
        text = json.dumps(outputs, allow_nan=False)
    except (TypeError, ValueError, AttributeError):
        return None
    tokens = (reply.input_tokens or 0, reply.output_tokens or 0)
    return Answer(text, reply.model, "stop", *tokens, reply.seconds, **_details(reply))


def _without_tokens(value: Any, *, logprobs: bool = False) -> Any:
    """Meta of a reply without its tokens and their ids, and of log-probabilities only the numbers.

    Tokens spell what the reply says once more: in pieces, as bytes, and with alternatives.
    """
    if isinstance(value, dict):
        return {
            name: _without_tokens(entry, logprobs=logprobs or _LOGPROBS.search(name) is not None)
            for name, entry in value.items()
            if (_KEPT.fullmatch(name) if logprobs else not (isinstance(entry, list) and _TOKENS.search(name)))
        }
    if isinstance(value, list):
        return [_without_tokens(entry, logprobs=logprobs) for entry in value]
    is_number = isinstance(value, float) or (isinstance(value, int) and value <= 0)  # others are ids
    return value if is_number or not logprobs else None


def unpacked(answer: Answer) -> Reply | None:
    """The inverse of `packed`; None for an entry that is not a reply of a generator."""
    try:
        outputs = json.loads(answer.text or "")
        outputs["replies"] = [
            entry if isinstance(entry, str) else ChatMessage.from_dict(entry) for entry in outputs["replies"]
        ]
    except (TypeError, ValueError, KeyError):
        return None
    return Reply(outputs, answer.model, *_tokens(answer), answer.latency, stored=True, **_details(answer))


def _tokens(answer: Answer) -> tuple[int | None, int | None]:
    """Tokens sent and received; None if the generator reports none."""
    known = answer.prompt_tokens or answer.completion_tokens
    return (answer.prompt_tokens, answer.completion_tokens) if known else (None, None)


def _details(counted: Answer | Reply) -> dict[str, Any]:
    return {name: getattr(counted, name) for name in _DETAILS}


def caller(source: Any) -> str:
    """Name of a generator in the cache file."""
    return f"generator {class_name(source)}"


def _with_meta(outputs: Mapping[str, Any]) -> list[ChatMessage]:
    """The replies as messages with their meta, which Generators return in a separate list."""
    metas = outputs.get("meta") or []
    return [
        entry
        if isinstance(entry, ChatMessage)
        else ChatMessage.from_assistant(str(entry), meta=_at(metas, place))
        for place, entry in enumerate(outputs.get("replies") or ())
    ]


def _at(metas: Any, place: int) -> dict[str, Any]:
    meta = metas[place] if isinstance(metas, list) and place < len(metas) else {}
    return dict(meta) if isinstance(meta, Mapping) else {}


def _is_final(message: ChatMessage) -> bool:
    """Whether a reply has content and was neither cut off, filtered nor refused."""
    finish = str(message.meta.get("finish_reason") or "stop").casefold()
    content = (message.text or "").strip() or message.tool_calls
    return bool(content) and finish not in _WITHDRAWN and not message.meta.get("refusal")


def identity_of(source: Any) -> str | None:
    """Class and parameters of a component without credentials; None if they cannot be serialised."""
    return parameters_of(source) or _parameters(source)


def _parameters(source: Any) -> str | None:
    """The same of a component without `to_dict`."""
    if hasattr(source, "to_dict"):
        return None
    try:
        parts = component_to_dict(source, class_name(source))
        return json.dumps(redacted(parts), sort_keys=True)
    except Exception:  # noqa: BLE001  (Haystack's errors, and whatever attributes of a component raise)
        return None


def code_of(source: Any) -> str:
    """Hash of the code of a component of another package: a change of its code changes what it returns.

    The hash covers the whole module, since a class uses other code in it; in a notebook, only the class.
    """
    cls: Any = type(source)
    return "" if top_package(cls.__module__) in _VERSIONED else _code(cls)


@cache
def _code(cls: Any) -> str:
    try:
        return module_code(cls.__module__) or hashlib.sha256(inspect.getsource(cls).encode()).hexdigest()[:16]
    except (OSError, TypeError):  # typed at a prompt
        return ""


def _plain(value: Any) -> Any:
    """An input as plain data: messages without the meta of earlier replies, which differs with every call."""
    if isinstance(value, ChatMessage):
        return {name: entry for name, entry in value.to_dict().items() if name != "meta"}
    to_dict = getattr(value, "to_dict", None)
    if to_dict is None or inspect.isclass(value):
        raise TypeError(f"{type(value).__name__} has no plain form")
    return to_dict()
