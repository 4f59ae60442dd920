"""Anthropic's batch API."""

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from datetime import datetime
from typing import Any

from thresher.errors import InputError
from thresher.judges.engine.answering import answer_from
from thresher.judges.engine.batches.api import (
    BatchState,
    Download,
    LineError,
    LineResult,
    as_data,
    rows_of,
    whole_number,
)
from thresher.judges.engine.batches.journal import JournalEntry
from thresher.judges.engine.transport import Trouble

ANTHROPIC = "AnthropicChatGenerator"
"""The generator of the package anthropic-haystack, which need not be installed."""
_PATH = "/v1/messages/batches"
_MAX_TOKENS = 1024
"""The generator's own default."""
_NOT_IN_THE_BODY = ("extra_headers", "max_tokens", "system")
_PAGE = 100
_BEFORE, _AFTER = 120.0, 900.0
"""Seconds around the journalled time within which a batch may have been created: clocks differ, and uploading
256 MB takes minutes."""
_SHORT, _LONG = 60.0, 900.0
_STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}
"""HTTP status of each type of error; 500 for others."""


class AnthropicBatches:
    """Batches through the client of an AnthropicChatGenerator.

    Args:
        target: the generator.
        model: its model.

    Raises:
        InputError: if the generator has no asynchronous client.
    """

    def __init__(self, target: Any, model: str) -> None:
        self._target = target
        self._model = model
        client: Any = getattr(target, "async_client", None)
        if client is None:
            raise InputError(f"batches: this {ANTHROPIC} has no asynchronous client; update its package")
        self._client = client

    def body(self, messages: list[dict[str, Any]], settings: dict[str, Any]) -> dict[str, Any]:
        """The parameters of a message, as the generator would send them."""
        options = {**(self._target.generation_kwargs or {}), **settings}
        system = [entry["content"] for entry in messages if entry["role"] == "system"]
        users = (entry for entry in messages if entry["role"] != "system")
        others = [{**entry, "content": _content(entry["content"])} for entry in users]
        rest = {name: value for name, value in options.items() if name not in _NOT_IN_THE_BODY}
        instructions = {"system": "\n\n".join(system)} if system else {}
        maximum = options.get("max_tokens", _MAX_TOKENS)
        return {"model": self._model, "max_tokens": maximum, **instructions, "messages": others, **rest}

    def encode(self, key: str, body: Mapping[str, Any]) -> bytes:
        """A request of the batch."""
        return json.dumps({"custom_id": key, "params": body}).encode()

    async def submit(
        self,
        entry: JournalEntry,  # noqa: ARG002  (batches have no metadata here)
        lines: Iterable[tuple[str, Mapping[str, Any]]],
    ) -> str:
        """Create the batch. The client's own retries are off: each might create another batch."""
        body = {"requests": [{"custom_id": key, "params": params} for key, params in lines]}
        options = {"timeout": _LONG, "max_retries": 0}
        created = await self._client.post(_PATH, cast_to=object, body=body, options=options)
        return str(as_data(created)["id"])

    async def find(self, entry: JournalEntry) -> str | None:
        """Find a batch by its time and number of lines, as batches have no metadata here.

        If it is another's batch, its results have none of the keys, and they are asked again.
        """
        async for listed in self._listed(entry.created - _BEFORE):
            counts = sum(map(whole_number, (listed.get("request_counts") or {}).values()))
            if _seconds(listed) <= entry.created + _AFTER and counts == len(entry.prompts):
                return str(listed["id"])
        return None

    async def state(self, batch: str) -> BatchState:
        """Retrieve a batch; while it runs, the provider reports no finished lines."""
        options = {"timeout": _SHORT}
        data = as_data(await self._client.get(f"{_PATH}/{batch}", cast_to=object, options=options))
        status, counts = str(data.get("processing_status")), data.get("request_counts") or {}
        done = sum(whole_number(count) for name, count in counts.items() if name != "processing")
        return BatchState(batch, status == "ended", done, files=(batch,), status=status)

    async def results(self, state: BatchState) -> Download:
        """Download the results."""
        options = {"timeout": _LONG, "headers": {"Accept": "application/binary"}}
        path = f"{_PATH}/{state.batch}/results"
        rows, whole = rows_of(await self._client.get(path, cast_to=bytes, options=options))
        return Download([_result(row, self._model) for row in rows], whole)

    async def _listed(self, since: float) -> AsyncIterator[Mapping[str, Any]]:
        """Yield batches, the latest first, back to a time."""
        after: dict[str, str] = {}
        while True:
            options = {"timeout": _SHORT, "params": {"limit": _PAGE, **after}}
            page = as_data(await self._client.get(_PATH, cast_to=object, options=options))
            entries = page.get("data") or []
            for entry in entries:
                if _seconds(entry) < since:
                    return
                yield entry
            if not entries or not page.get("has_more"):
                return
            after = {"after_id": str(entries[-1]["id"])}


def _content(content: str | list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """Content of a message with images as Anthropic takes them."""
    return content if isinstance(content, str) else [_part(part) for part in content]


def _part(part: dict[str, Any]) -> dict[str, Any]:
    if part["type"] != "image_url":
        return part
    kind, _, data = part["image_url"]["url"].removeprefix("data:").partition(";base64,")
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


def _seconds(entry: Mapping[str, Any]) -> float:
    """When a batch was created; 0 if it does not say."""
    try:
        return datetime.fromisoformat(str(entry.get("created_at"))).timestamp()
    except ValueError:
        return 0.0


def _result(row: Any, model: str) -> LineResult:
    key, result = str(row.get("custom_id")), row.get("result") or {}
    kind = result.get("type")
    if kind == "succeeded":
        return LineResult(key, _answer(result.get("message") or {}, model))
    if kind != "errored":
        return LineResult(key, fault=Trouble(f"batch_{kind}: the request was not run", passing=True))
    error = (result.get("error") or {}).get("error") or result.get("error") or {}
    return LineResult(key, error=LineError(_STATUSES.get(str(error.get("type")), 500), {"error": error}))


def _answer(message: Mapping[str, Any], model: str) -> Any:
    """The text blocks of a message, as the generator joins them."""
    blocks = message.get("content") or []
    text = " ".join(str(block.get("text")) for block in blocks if block.get("type") == "text")
    reason = message.get("stop_reason")
    finish = "content_filter" if reason == "refusal" else reason
    meta = {"finish_reason": finish, "model": message.get("model"), "usage": message.get("usage")}
    return answer_from(text, meta, 0.0, model)
