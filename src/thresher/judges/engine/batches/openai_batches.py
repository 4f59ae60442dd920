"""OpenAI's batch API, which many compatible servers offer too."""

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

from thresher.judges.engine import wire
from thresher.judges.engine.answering import answer_in
from thresher.judges.engine.batches.api import (
    BatchProblem,
    BatchState,
    Download,
    LineError,
    LineResult,
    as_data,
    rows_of,
    whole_number,
)
from thresher.judges.engine.batches.journal import JournalEntry
from thresher.judges.engine.transport import Trouble, trouble
from thresher.results.redaction import redacted_message

_URL = "/v1/chat/completions"
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_NAME = "thresher"
"""Key of the metadata with which a batch is found again."""
_PAGE = 100
_SKEW = 600.0
"""Seconds by which the provider's clock may differ, when the list of batches is searched by time."""
_SHORT, _LONG = 60.0, 900.0
"""Seconds that a question about a batch, and a transfer of 200 MB, may take."""
_OK, _NOT_FOUND = 200, 404


class OpenAIBatches:
    """Batches through the client of an OpenAIChatGenerator.

    Args:
        target: a warm generator.
        model: its model.
    """

    def __init__(self, target: Any, model: str) -> None:
        self._target = target
        self._client = target.async_client
        self._model = model

    def body(self, messages: list[dict[str, Any]], settings: dict[str, Any]) -> dict[str, Any]:
        """The body that a live request would have."""
        return wire.body_of(self._target, messages, settings)

    def encode(self, key: str, body: Mapping[str, Any]) -> bytes:
        """A line of the input file."""
        return json.dumps({"custom_id": key, "method": "POST", "url": _URL, "body": body}).encode()

    async def submit(self, entry: JournalEntry, lines: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
        """Upload the lines and create the batch, with its name, round and part as metadata."""
        content = b"".join(self.encode(key, body) + b"\n" for key, body in lines)
        file = await self._client.files.create(
            file=(f"{entry.name}.jsonl", content), purpose="batch", timeout=_LONG
        )
        body = {
            "input_file_id": file.id,
            "endpoint": _URL,
            "completion_window": "24h",
            "metadata": {_NAME: entry.name, "round": str(entry.round), "part": str(entry.part)},
        }
        options = {"timeout": _SHORT}
        created = await self._client.post("/batches", cast_to=object, body=body, options=options)
        return str(as_data(created)["id"])

    async def find(self, entry: JournalEntry) -> str | None:
        """Find a batch by the name in its metadata."""
        async for listed in self._listed(entry.created - _SKEW):
            if (listed.get("metadata") or {}).get(_NAME) == entry.name:
                return str(listed["id"])
        return None

    async def state(self, batch: str) -> BatchState:
        """Retrieve a batch."""
        options = {"timeout": _SHORT}
        data = as_data(await self._client.get(f"/batches/{batch}", cast_to=object, options=options))
        counts = data.get("request_counts") or {}
        files = (data.get("output_file_id"), data.get("error_file_id"))
        status = str(data.get("status"))
        return BatchState(
            batch,
            status in _ENDED,
            whole_number(counts.get("completed")) + whole_number(counts.get("failed")),
            tuple(_problems(data)) if status == "failed" else (),
            tuple(str(file) for file in files if file),
            status,
        )

    async def results(self, state: BatchState) -> Download:
        """Download the output file and the error file; a file that is gone has no lines."""
        results: list[LineResult] = []
        whole = True
        for file in state.files:
            rows, complete = rows_of(await self._content(file))
            results += [_result(row, self._model) for row in rows]
            whole = whole and complete
        return Download(results, whole)

    async def _content(self, file: str) -> bytes:
        options = {"timeout": _LONG, "headers": {"Accept": "application/binary"}}
        try:
            content: bytes = await self._client.get(f"/files/{file}/content", cast_to=bytes, options=options)
        except Exception as error:
            if trouble(error).status == _NOT_FOUND:
                return b""
            raise
        return content

    async def _listed(self, since: float) -> AsyncIterator[Mapping[str, Any]]:
        """Yield batches, the latest first, back to a time."""
        after: dict[str, str] = {}
        while True:
            options = {"timeout": _SHORT, "params": {"limit": _PAGE, **after}}
            page = as_data(await self._client.get("/batches", cast_to=object, options=options))
            entries = page.get("data") or []
            for entry in entries:
                if whole_number(entry.get("created_at")) < since:
                    return
                yield entry
            if not entries or not page.get("has_more"):
                return
            after = {"after": str(entries[-1]["id"])}


def _problems(data: Mapping[str, Any]) -> Iterable[BatchProblem]:
    entries = (data.get("errors") or {}).get("data") or [{"message": "the provider gives no reason"}]
    for entry in entries:
        line = entry.get("line")
        yield BatchProblem(
            str(entry.get("code")), str(entry.get("message")), line if isinstance(line, int) else None
        )


def _result(row: Any, model: str) -> LineResult:
    """A line of the output or error file. A line that was not run has an error instead of a response."""
    key = str(row.get("custom_id"))
    response = row.get("response")
    if not response or not response.get("status_code"):
        error = row.get("error") or {}
        message = redacted_message(f"{error.get('code')}: {error.get('message')}")
        return LineResult(key, fault=Trouble(message, passing=True))
    if response["status_code"] != _OK:
        return LineResult(key, error=LineError(response["status_code"], response.get("body")))
    try:
        return LineResult(key, answer_in(response.get("body"), 0.0, model))
    except ConnectionError as error:
        return LineResult(key, fault=trouble(error))
