"""Conversion of asks to messages, and of replies of generators and endpoints to answers."""

from typing import TYPE_CHECKING, Any

from thresher.files.texts import without_lone_surrogates
from thresher.judges.engine.token_usage import token_counts
from thresher.judges.flow import Answer, Ask, Message
from thresher.judges.image_slots import named_images
from thresher.judges.logprobs import read_logprobs
from thresher.results.redaction import redacted_message

if TYPE_CHECKING:
    from haystack.dataclasses import ChatMessage


def messages_of(ask: Ask[Any]) -> "list[ChatMessage]":
    """An ask's messages as Haystack's ChatMessages."""
    from haystack.dataclasses import ChatMessage, ImageContent

    def made(message: Message) -> ChatMessage:
        text = without_lone_surrogates(message.text)
        if message.role == "system":
            return ChatMessage.from_system(text)
        if not message.images:
            return ChatMessage.from_user(text)
        parts: list[str | ImageContent] = [text]
        for name, image in named_images(message.images):
            detail: Any = image.detail or None
            parts += [name, ImageContent(image.data, image.mime_type, detail, validation=False)]
        return ChatMessage.from_user(content_parts=parts)

    return [made(message) for message in ask.messages]


def plain_messages_of(ask: Ask[Any]) -> list[dict[str, Any]]:
    """An ask's messages as OpenAI's API takes them."""
    return [{"role": message.role, "content": _content(message)} for message in ask.messages]


def _content(message: Message) -> str | list[dict[str, Any]]:
    text = without_lone_surrogates(message.text)
    if not message.images:
        return text
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
    for name, image in named_images(message.images):
        detail = {"detail": image.detail} if image.detail else {}
        url = {"url": f"data:{image.mime_type};base64,{image.data}", **detail}
        parts += [{"type": "text", "text": name}, {"type": "image_url", "image_url": url}]
    return parts


def answer_of(result: Any, latency: float, model: str) -> Answer:
    """Answer with a generator's first reply; without a reply the text is None.

    Args:
        result: what a ChatGenerator returned.
        latency: seconds, used if the reply's meta has none.
        model: the model asked, used if the reply's meta has none.
    """
    replies = result.get("replies") if isinstance(result, dict) else None
    if not replies:
        return Answer(None, model=model, latency=latency)
    if isinstance(replies[0], str):  # Haystack's older generators, which reply with plain text
        return answer_from(replies[0], {}, latency, model)
    return answer_from(replies[0].text, replies[0].meta or {}, latency, model)


def answer_in(data: Any, latency: float, model: str) -> Answer:
    """Answer with the first choice of a reply of OpenAI's API; without a choice the text is None.

    Args:
        data: the reply's JSON.
        latency: seconds.
        model: the model asked, used if the reply does not name it.

    Raises:
        ConnectionError: if the data are not such a reply, e.g. the page of a proxy.
    """
    if not isinstance(data, dict):
        shown = redacted_message(str(data))[:80]  # a part of a secret would not be recognised
        raise ConnectionError(f"the server replied with {shown!r} instead of a chat completion")
    choices = data.get("choices")
    if not choices:
        return Answer(None, model=model, latency=latency)
    choice = choices[0]
    meta = {name: choice.get(name) for name in ("finish_reason", "logprobs")}
    meta |= {name: data.get(name) for name in ("model", "usage")}
    return answer_from((choice.get("message") or {}).get("content"), meta, latency, model)


def cut_off(error: Exception) -> Any:
    """Return the truncated reply that an error of OpenAI's client holds; raise any other error."""
    completion: Any = getattr(error, "completion", None)
    if type(error).__name__ != "LengthFinishReasonError" or not getattr(completion, "choices", None):
        raise error
    from haystack.dataclasses import ChatMessage

    usage = completion.usage.model_dump() if completion.usage else {}
    meta = {"model": completion.model, "finish_reason": "length", "usage": usage}
    return {"replies": [ChatMessage.from_assistant(completion.choices[0].message.content or "", meta=meta)]}


def answer_from(text: str | None, meta: dict[str, Any], latency: float, model: str) -> Answer:
    """Answer with a text and the `meta` of Haystack's replies.

    Args:
        text: the reply; None if there is none.
        meta: `model`, `finish_reason`, `usage`, `logprobs` and `latency`, as far as they are known.
        latency: seconds, used if the meta has none.
        model: the model asked, used if the meta has none.
    """
    return Answer(
        text=None if text is None else without_lone_surrogates(text),
        model=str(meta.get("model") or model),
        finish=str(meta.get("finish_reason") or "stop"),
        latency=float(meta["latency"]) if isinstance(meta.get("latency"), int | float) else latency,
        logprobs=read_logprobs(meta.get("logprobs")),
        **token_counts(meta.get("usage")),
    )
