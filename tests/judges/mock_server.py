"""A server with OpenAI's chat API on the loopback interface, with latency and faults.

The same request meets the same fate in every run: faults are drawn from its body and from how often it has
come. `sticky` faults stay however often it comes. After `rejects_after` calls, all get the status
`rejects_with` and `error`. More than `per_second` requests a second get 429; a tenth of
them may come at once.

As a script: `python mock_server.py PORT`, until killed; `POST /reset` takes the settings of `Settings`.
"""

import asyncio
import hashlib
import json
import sys
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass, field, fields
from urllib.request import urlopen

try:
    import oracle
except ImportError:
    from judges import oracle

FAULTS = ("http429", "http500", "hang", "malformed", "length", "refusal", "empty", "broken_body", "missing")


@dataclass
class Settings:
    """How the server behaves."""

    base_ms: float = 0.0
    per_token_ms: float = 0.0
    faults: dict = field(default_factory=dict)
    sticky: bool = False
    retry_after: float = 0.05
    hang_s: float = 60.0
    seed: int = 1
    refuses: tuple = ()
    reasoning: int = 0  # tokens that every reply spends before its text
    per_second: float | None = None
    rejects_after: int | None = None
    rejects_with: int = 503
    error: dict = field(default_factory=lambda: {"message": "the server is down"})


class MockServer:
    """The server; `replies` are functions from the request's text to a reply, tried in order."""

    def __init__(self, settings=None, replies=(oracle.reply,)):
        self.settings = settings or Settings()
        self.replies = list(replies)
        self.connections = set()
        self.reset()

    def reset(self, **changes):
        """Forget what happened; change settings."""
        for name, value in changes.items():
            setattr(self.settings, name, value)
        self.seen, self.faults, self.peers = Counter(), Counter(), Counter()
        self.calls = self.in_flight = self.max_in_flight = self.gone = 0
        self.tokens = [0, 0]
        self.latency = self.area = 0.0
        self.span = []
        self.moments = []
        self.level, self.refilled = (self.settings.per_second or 0.0) / 10, time.monotonic()
        self.bodies, self.headers = [], []

    def drain(self, seconds=10.0):
        """Wait until everything has arrived that clients have sent; all of them must have closed.

        Connections are accepted in the order in which they were made: once this one is answered, the server
        knows all that were made before, and reads what was sent on them before it sees that they are closed.
        """
        urlopen(f"{self.url.removesuffix('/v1')}/stats").close()  # noqa: S310  # loopback
        deadline = time.monotonic() + seconds
        while self.connections:
            if time.monotonic() > deadline:
                raise AssertionError(f"{len(self.connections)} connections are still open")
            time.sleep(0.001)

    def stats(self):
        """What happened since the last reset."""
        return {
            "calls": self.calls,
            "distinct": len(self.seen),
            "max_in_flight": self.max_in_flight,
            "prompt_tokens": self.tokens[0],
            "completion_tokens": self.tokens[1],
            "latency_s": round(self.latency, 4),
            "mean_in_flight": round(self.area / max(self.span[1] - self.span[0], 1e-9), 2)
            if self.span
            else 0.0,
            "span": self.span,
            "gone": self.gone,
            "faults": dict(self.faults),
            "most_a_minute": most_a_minute(self.moments),
        }

    async def answer(self, path, body):
        """One request: status, headers and body of the response; None closes the connection."""
        if path == "/stats":
            return 200, {}, self.stats()
        if path == "/reset":
            known = {entry.name for entry in fields(Settings)}
            self.reset(**{name: value for name, value in json.loads(body or b"{}").items() if name in known})
            return 200, {}, asdict(self.settings)
        if path.endswith("/embeddings"):
            return await self._embeddings(json.loads(body))
        self.calls += 1
        self.moments.append(time.monotonic())
        self._flying(+1)
        try:
            return await self._completion(json.loads(body), body)
        except asyncio.CancelledError:
            self.gone += 1
            raise
        finally:
            self._flying(-1)

    def _limited(self):
        """Whether a request comes too early for the rate that the server admits."""
        rate = self.settings.per_second
        if rate is None:
            return False
        now = time.monotonic()
        self.level = min(rate / 10, self.level + rate * (now - self.refilled))
        self.refilled = now
        if self.level < 1:
            self.faults["rate"] += 1
            return True
        self.level -= 1
        return False

    def _flying(self, change):
        now = time.monotonic()
        self.span = [self.span[0] if self.span else now, now, self.span[2] if self.span else now]
        self.area += self.in_flight * (now - self.span[2])
        self.span[2] = now
        self.in_flight += change
        self.max_in_flight = max(self.max_in_flight, self.in_flight)

    async def _completion(self, request, body):
        self.bodies.append(request)
        if self.settings.rejects_after is not None and self.calls > self.settings.rejects_after:
            return self.settings.rejects_with, {}, {"error": self.settings.error}
        for name in self.settings.refuses:
            if name in request:
                return 400, {}, {"error": {"message": f"Unsupported parameter: '{name}' is not supported."}}
        if self._limited():
            await asyncio.sleep(self.settings.base_ms / 1000)
            return 429, {"Retry-After": str(self.settings.retry_after)}, {"error": {"message": "slow down"}}
        key = hashlib.sha256(body).hexdigest()
        fault = self._fault(key, self.seen[key])
        self.seen[key] += 1
        if fault:
            self.faults[fault] += 1
        if fault == "http429":
            await asyncio.sleep(0.005)
            return 429, {"Retry-After": str(self.settings.retry_after)}, {"error": {"message": "slow down"}}
        if fault == "http500":
            await asyncio.sleep(0.02)
            return 500, {}, {"error": {"message": "the server is unwell"}}
        return await self._told(request, fault)

    async def _told(self, request, fault):
        start = time.monotonic()
        prompt = "\n".join(_text(message) for message in request["messages"])
        text, finish, refusal = self._reply(prompt, request), "stop", None
        if fault == "malformed":
            text = text[: int(len(text) * 0.6)]
        elif fault == "missing":
            text = _without_last(text)
        elif fault == "length":
            text, finish = text[: len(text) // 3], "length"
        elif fault == "refusal":
            text, refusal = None, "I am sorry, I cannot help with that."
        elif fault == "empty":
            text = ""
        limit = request.get("max_completion_tokens") or request.get("max_tokens")
        if limit is not None and limit <= self.settings.reasoning:
            text, finish = "", "length"
        sent, said = len(prompt) // 4, max(1, len(text or "") // 4)
        said = limit if text == "" and finish == "length" else said + self.settings.reasoning
        self.tokens = [self.tokens[0] + sent, self.tokens[1] + said]
        seconds = (self.settings.base_ms + self.settings.per_token_ms * said) / 1000
        hang = self.settings.hang_s if fault == "hang" else 0.0
        await asyncio.sleep(max(0.0, seconds + hang - (time.monotonic() - start)))
        self.latency += seconds
        message = {"role": "assistant", "content": text, "refusal": refusal}
        choices = [
            {"index": place, "message": message, "finish_reason": finish, "logprobs": None}
            for place in range(int(request.get("n") or 1))
        ]
        usage = {"prompt_tokens": sent, "completion_tokens": said, "total_tokens": sent + said}
        whole = {
            "id": "chatcmpl-mock",
            "object": "chat.completion",
            "created": 1,
            "model": f"{request['model']}-2026",
            "choices": choices,
            "usage": usage,
        }
        return (200, {}, whole) if fault != "broken_body" else (200, {}, json.dumps(whole)[:40].encode())

    def _reply(self, prompt, request):
        for reply in self.replies:
            text = reply(prompt, request) if reply.__code__.co_argcount > 1 else reply(prompt)
            if text is not None:
                return text if isinstance(text, str) else json.dumps(text)
        return "OK"

    async def _embeddings(self, request):
        texts = [request["input"]] if isinstance(request["input"], str) else request["input"]
        await asyncio.sleep(0.02)
        data = [{"object": "embedding", "index": i, "embedding": [1.0, 0.0]} for i in range(len(texts))]
        return (
            200,
            {},
            {
                "object": "list",
                "data": data,
                "model": "mock",
                "usage": {"prompt_tokens": 1, "total_tokens": 1},
            },
        )

    def _fault(self, key, times):
        seed = f"{self.settings.seed} {key} {0 if self.settings.sticky else times}"
        draw = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big") / 2**64
        for name in FAULTS:
            share = self.settings.faults.get(name, 0.0)
            if draw < share:
                return name
            draw -= share
        return None


class _Connection(asyncio.Protocol):
    """HTTP/1.1 with keep-alive, as much of it as clients of a chat API use."""

    def __init__(self, server):
        self.server = server
        self.data = b""
        self.task = None

    def connection_made(self, transport):
        self.transport = transport
        self.server.connections.add(self)

    def connection_lost(self, exc):  # noqa: ARG002
        self.server.connections.discard(self)
        if self.task is not None:
            self.task.cancel()

    def data_received(self, data):
        self.data += data
        head, split, rest = self.data.partition(b"\r\n\r\n")
        if not split:
            return
        lines = head.split(b"\r\n")
        named = (line.decode("latin-1").split(": ", 1) for line in lines[1:])
        headers = {name.lower(): value for name, value in named}
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return
        self.data = rest[length:]
        path = lines[0].split(b" ")[1].decode()
        self.server.headers.append(headers | {":path": path})
        self.task = asyncio.get_running_loop().create_task(self._respond(path, rest[:length]))

    async def _respond(self, path, body):
        status, headers, told = await self.server.answer(path, body)
        self.task = None
        content = told if isinstance(told, bytes) else json.dumps(told).encode()
        lines = [
            f"HTTP/1.1 {status} Mock",
            "Content-Type: application/json",
            f"Content-Length: {len(content)}",
        ]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if not self.transport.is_closing():
            self.transport.write("\r\n".join(lines).encode() + b"\r\n\r\n" + content)


class running:  # noqa: N801  (reads as a word: `with running(server) as url`)
    """Serve from a thread of this process; gives the base url."""

    def __init__(self, server, port=0):
        self.server = server
        self.port = port

    def __enter__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.listener = asyncio.run_coroutine_threadsafe(_listen(self.server, self.port), self.loop).result()
        self.server.url = f"http://127.0.0.1:{self.listener.sockets[0].getsockname()[1]}/v1"
        return self.server.url

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self._end(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def _end(self):
        self.listener.close()
        for connection in list(self.server.connections):
            connection.transport.abort()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _listen(server, port):
    loop = asyncio.get_running_loop()
    return await loop.create_server(lambda: _Connection(server), "127.0.0.1", port, backlog=512)


def most_a_minute(moments):
    """The most of these sorted moments in any sixty seconds."""
    first, most = 0, 0
    for last, moment in enumerate(moments):
        while moments[first] <= moment - 60:
            first += 1
        most = max(most, last - first + 1)
    return most


def _text(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def _without_last(text):
    """The reply without its last verdict, or without the last text of its list."""
    data = json.loads(text)
    if len(data) > 1:
        data.popitem()
    return json.dumps(data)


async def serve(server, port):
    listener = await _listen(server, port)
    print(f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1", flush=True)  # noqa: T201
    await listener.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(MockServer(), int(sys.argv[1])))
