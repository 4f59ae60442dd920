"""The mock server with the batch APIs of OpenAI and Anthropic, and their faults.

A batch ends some time after it was created. Each line meets the fate that `fates` draws for it from its body
and from how often it has come. As a script: `python mock_batches.py PORT [JSON of BatchFaults]`, until
killed; `GET /batch_stats` counts what happened.
"""

import asyncio
import hashlib
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlsplit

try:
    from mock_server import MockServer, serve
except ImportError:
    from judges.mock_server import MockServer, serve

CONTENT = ("malformed", "length", "refusal", "empty", "missing")
"""Faults of `Settings.faults` that a line of a batch may have."""


@dataclass
class BatchFaults:
    """How the batch APIs behave.

    `fates` are shares of lines that fail by status (`"400"`, `"429"`, `"500"`), `expired`, `cancelled`,
    `timeout` or `unanswered` (in no file), or come `twice`;
    `rejected` are the errors with which the next batches fail
    their validation.
    """

    seconds: float = 0.05
    fates: dict = field(default_factory=dict)
    rejected: list = field(default_factory=list)
    bad_line: str = ""
    enqueued_limit: int = 0
    failing_polls: int = 0
    poll_status: int = 503
    broken_downloads: int = 0
    lost_responses: int = 0
    no_files: bool = False
    status: str = "completed"


class BatchServer(MockServer):
    """The mock server with batch APIs; `paid` counts the answers in batches by the body of their line."""

    def reset(self, **changes):
        super().reset(**changes)
        self.behave = BatchFaults()
        self.files, self.batches = {}, {}
        self.paid, self.came, self.happened = Counter(), Counter(), Counter()
        self.downloads = Counter()

    async def answer(self, path, body):
        parts = urlsplit(path)
        way = parts.path.removeprefix("/v1").strip("/").split("/")
        query = dict(parse_qsl(parts.query))
        if way == ["batch_stats"]:
            sizes = [len(batch["lines"]) for batch in self.batches.values()]
            most = max(self.paid.values(), default=0)
            return 200, {}, {**self.happened, "sizes": sizes, "paid": len(self.paid), "most": most}
        if way[0] == "files":
            return await self._files(way, body)
        if way[0] == "batches":
            return await self._openai(way, body, query)
        if way[:2] == ["messages", "batches"]:
            return await self._anthropic(way[2:], body)
        if way == ["messages"]:
            return await self._message(json.loads(body))
        return await super().answer(path, body)

    async def _files(self, way, body):
        if len(way) == 1:
            name = f"file-{len(self.files)}"
            boundary = body.split(b"\r\n", 1)[0]
            part = next(part for part in body.split(boundary) if b"filename=" in part)
            self.files[name] = part.split(b"\r\n\r\n", 1)[1].removesuffix(b"\r\n")
            self.happened["uploads"] += 1
            return 200, {}, {"id": name, "object": "file", "purpose": "batch"}
        content = self.files.get(way[1])
        if content is None:
            return _error(404, "no such file")
        return 200, {}, self._sent(way[1], content)

    def _sent(self, name, content):
        self.downloads[name] += 1
        broken = self.downloads[name] <= self.behave.broken_downloads
        return content[: int(len(content) * 0.6)] if broken else content

    async def _openai(self, way, body, query):
        if len(way) == 1 and body:
            return await self._create(json.loads(body))
        if len(way) == 1:
            shown = [_openai_view(batch) for batch in reversed(self.batches.values())]
            return 200, {}, {"data": shown[: int(query["limit"])], "has_more": False}
        batch = self.batches.get(way[1])
        if batch is None:
            return _error(404, "no such batch")
        self.happened["polls"] += 1
        batch["polls"] += 1
        if batch["polls"] <= self.behave.failing_polls:
            return _error(self.behave.poll_status, "not now")
        await self._advance(batch)
        return 200, {}, _openai_view(batch)

    async def _create(self, asked):
        lines = [json.loads(line) for line in self.files[asked["input_file_id"]].splitlines()]
        entries = [(line["custom_id"], line["body"]) for line in lines]
        batch = self._batch("batch", entries, asked["metadata"])
        batch["errors"] = self._problems(lines)
        return await self._created(_openai_view(batch))

    async def _created(self, view):
        if self.behave.lost_responses:
            self.behave.lost_responses -= 1
            return 200, {}, b""
        return 200, {}, view

    def _batch(self, kind, entries, metadata):
        name = f"{kind}_{len(self.batches)}"
        messages = [message["content"] for _, body in entries for message in body["messages"]]
        tokens = sum(len(text) // 4 for text in messages)
        self.batches[name] = {
            "id": name,
            "lines": entries,
            "metadata": metadata,
            "created": time.time(),
            "status": "in_progress",
            "counts": {},
            "files": {},
            "errors": [],
            "polls": 0,
            "tokens": tokens,
        }
        self.happened["batches"] += 1
        return self.batches[name]

    def _problems(self, lines):
        if self.behave.rejected:
            return [self.behave.rejected.pop(0)]
        if self.behave.bad_line:
            bad = [place for place, line in enumerate(lines, 1) if self.behave.bad_line in json.dumps(line)]
            return [{"code": "invalid", "line": place, "message": "bad line"} for place in bad]
        open_tokens = sum(other["tokens"] for other in self.batches.values() if not _ended(other))
        if self.behave.enqueued_limit and open_tokens > self.behave.enqueued_limit:
            limit = self.behave.enqueued_limit
            message = f"Enqueued token limit reached. Limit: {limit:,} enqueued tokens."
            self.happened["refused"] += 1
            return [{"code": "token_limit_exceeded", "line": None, "message": message}]
        return []

    async def _advance(self, batch):
        """End a batch whose time has come."""
        if _ended(batch) or time.time() < batch["created"] + self.behave.seconds:
            return
        if batch["errors"]:
            batch["status"] = "failed"
            return
        batch["status"] = self.behave.status
        output, errors = [], []
        for key, body in batch["lines"]:
            await self._line(key, body, output, errors)
        batch["counts"] = {"completed": len(output), "failed": len(errors)}
        for kind, rows in (("output", output[::-1]), ("error", errors)):
            if rows and not self.behave.no_files:
                name = batch["files"][kind] = f"{kind}-{batch['id']}"
                self.files[name] = b"".join(json.dumps(row).encode() + b"\n" for row in rows)

    async def _line(self, key, body, output, errors):
        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        fate = self._fate(digest, self.came[digest])
        self.came[digest] += 1
        if fate == "unanswered":
            return
        if fate in ("expired", "cancelled", "timeout"):
            code = "request_timeout" if fate == "timeout" else f"batch_{fate}"
            errors.append({"custom_id": key, "response": None, "error": {"code": code, "message": fate}})
            return
        refused = next((name for name in self.settings.refuses if name in body), None)
        if fate in ("400", "429", "500") or refused:
            status = 400 if refused else int(fate)
            reason = f"Unsupported parameter: '{refused}' is not supported." if refused else "mock fault"
            response = {"status_code": status, "body": {"error": {"message": reason}}}
            errors.append({"custom_id": key, "response": response, "error": None})
            return
        self.paid[digest] += 1
        content = self._fault(digest, self.came[digest])
        _, _, whole = await self._told(body, content if content in CONTENT else None)
        row = {"custom_id": key, "response": {"status_code": 200, "body": whole}, "error": None}
        output += [row, row] if fate == "twice" else [row]

    def _fate(self, digest, times):
        draw = int(hashlib.sha256(f"{digest} {times}".encode()).hexdigest()[:12], 16) / 16**12
        for name, share in self.behave.fates.items():
            if draw < share:
                return name
            draw -= share
        return None

    async def _anthropic(self, way, body):
        if not way and body:
            entries = [(entry["custom_id"], entry["params"]) for entry in json.loads(body)["requests"]]
            return await self._created(_anthropic_view(self._batch("msgbatch", entries, None)))
        if not way:
            shown = [_anthropic_view(batch) for batch in reversed(self.batches.values())]
            return 200, {}, {"data": shown, "has_more": False}
        batch = self.batches[way[0]]
        await self._advance(batch)
        if len(way) == 1:
            return 200, {}, _anthropic_view(batch)
        rows = [json.loads(row) for file in batch["files"].values() for row in self.files[file].splitlines()]
        content = b"".join(json.dumps(_anthropic_row(row)).encode() + b"\n" for row in rows)
        return 200, {}, self._sent(batch["id"], content)

    async def _message(self, params):
        """A live message, whose system instructions are a parameter."""
        self.calls += 1
        _, _, whole = await self._told(params, None)
        return 200, {}, _anthropic_message(whole)

    async def _told(self, request, fault):
        system = request.get("system")
        messages = [{"role": "system", "content": system}] if system else []
        return await super()._told({**request, "messages": [*messages, *request["messages"]]}, fault)


def _ended(batch):
    return batch["status"] != "in_progress"


def _openai_view(batch):
    counts = {"total": len(batch["lines"]), "completed": 0, "failed": 0, **batch["counts"]}
    return {
        "id": batch["id"],
        "status": batch["status"],
        "created_at": int(batch["created"]),
        "metadata": batch["metadata"],
        "request_counts": counts,
        "output_file_id": batch["files"].get("output"),
        "error_file_id": batch["files"].get("error"),
        "errors": {"data": batch["errors"]} if batch["status"] == "failed" else None,
    }


def _anthropic_view(batch):
    done = sum(batch["counts"].values())
    ended = batch["status"] != "in_progress"
    counts = {"processing": 0, "succeeded": done} if ended else {"processing": len(batch["lines"])}
    return {
        "id": batch["id"],
        "processing_status": "ended" if ended else "in_progress",
        "created_at": datetime.fromtimestamp(batch["created"], UTC).isoformat().replace("+00:00", "Z"),
        "request_counts": counts,
    }


def _anthropic_row(row):
    if row["response"] is None:
        kind = row["error"]["code"].removeprefix("batch_").replace("cancelled", "canceled")
        return {"custom_id": row["custom_id"], "result": {"type": kind}}
    status, body = row["response"]["status_code"], row["response"]["body"]
    if status == 200:
        return {
            "custom_id": row["custom_id"],
            "result": {"type": "succeeded", "message": _anthropic_message(body)},
        }
    kind = {400: "invalid_request_error", 429: "rate_limit_error"}.get(status, "api_error")
    error = {"type": "error", "error": {"type": kind, "message": body["error"]["message"]}}
    return {"custom_id": row["custom_id"], "result": {"type": "errored", "error": error}}


def _anthropic_message(whole):
    choice, usage = whole["choices"][0], whole["usage"]
    content = [{"type": "text", "text": choice["message"]["content"]}] if choice["message"]["content"] else []
    return {
        "model": whole["model"],
        "content": content,
        "stop_reason": {"stop": "end_turn", "length": "max_tokens"}[choice["finish_reason"]],
        "usage": {"input_tokens": usage["prompt_tokens"], "output_tokens": usage["completion_tokens"]},
    }


def _error(status, message):
    return status, {}, {"error": {"message": message}}


if __name__ == "__main__":
    mock = BatchServer()
    mock.behave = BatchFaults(**json.loads(sys.argv[2] if len(sys.argv) > 2 else "{}"))
    asyncio.run(serve(mock, int(sys.argv[1])))
