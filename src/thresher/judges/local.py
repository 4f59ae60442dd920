"""Local model files as judges, run in this process."""

import atexit
import hashlib
import importlib
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from thresher.errors import InputError, MissingDependencyError

if TYPE_CHECKING:
    from haystack.dataclasses import ChatMessage

_SAMPLE = 1 << 20
"""Bytes of a model's head and tail that identify it; hashing many gigabytes would delay each start."""


class LocalModelError(Exception):
    """The model's engine refused a request; `status_code` is an HTTP status."""

    def __init__(self, message: str, status_code: int) -> None:
        super().__init__(message)
        self.status_code = status_code


class LocalChatGenerator:
    """A ChatGenerator that runs a GGUF model in this process (extra `local`: xllamacpp).

    The model is loaded at the first question. The prompt cache is off, because with it equal requests may
    give different replies. The engine's server listens on 127.0.0.1 only.

    Args:
        model_path: the GGUF file.
        generation_kwargs: settings of every request, e.g. `{"temperature": 0}`.
        context: maximum tokens of prompt and reply together, for each concurrent request.
        max_concurrency: concurrent requests.
        threads: compute threads; one per processor by default. Fewer are faster on a busy machine.
        timeout: seconds that one request may take.

    Raises:
        InputError: at the first question, if the file cannot be read or is not a GGUF file.
        MissingDependencyError: at the first question, if xllamacpp is not installed.
    """

    speaks_openai = True

    reads_images = False
    """Marks that its messages are texts only."""

    def __init__(
        self,
        model_path: str,
        generation_kwargs: dict[str, Any] | None = None,
        *,
        context: int = 8192,
        max_concurrency: int = 1,
        threads: int | None = None,
        timeout: float = 600.0,
    ) -> None:
        self.model_path = str(model_path)
        self.generation_kwargs = generation_kwargs or {}
        self.context = context
        self.max_concurrency = max_concurrency
        self.threads = threads
        self.timeout = timeout
        self._starting = threading.Lock()
        self._server: Any = None

    @property
    def model(self) -> str:
        """The file's stem and a fingerprint of its size, head and tail."""
        path = Path(self.model_path)
        return f"{path.stem}@{_fingerprint(path)}" if path.is_file() else path.stem

    def to_dict(self) -> dict[str, Any]:
        """Serialise as Haystack does."""
        names = ("model_path", "generation_kwargs", "context", "max_concurrency", "threads", "timeout")
        kind = f"{type(self).__module__}.{type(self).__qualname__}"
        return {"type": kind, "init_parameters": {name: getattr(self, name) for name in names}}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Deserialise; the inverse of `to_dict`."""
        return cls(**data.get("init_parameters", {}))

    def warm_up(self) -> None:
        """Load the model."""
        with self._starting:
            if self._server is None:
                self._server = _load(self)
                atexit.register(self.close)

    def close(self) -> None:
        """Unload the model; asking again loads it again."""
        with self._starting:
            self._server = None
        atexit.unregister(self.close)

    def run(
        self, messages: "list[ChatMessage]", generation_kwargs: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Answer one conversation.

        Returns:
            `replies`: a list of one ChatMessage, whose `meta` has the model, tokens and finish reason.

        Raises:
            LocalModelError: if the engine refuses the request, e.g. because it is too long.
        """
        self.warm_up()
        options = {**self.generation_kwargs, **(generation_kwargs or {})}
        options |= options.pop("extra_body", {})
        plain = [{"role": message.role.value, "content": message.text} for message in messages]
        return _replies(self._server.handle_chat_completions({"messages": plain, **options}), self.model)


def _load(judge: LocalChatGenerator) -> Any:
    path = Path(judge.model_path)
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise InputError(f"the model file {path} cannot be read: {error.strerror}") from error
    if magic != b"GGUF":
        raise InputError(f"{path} is not a GGUF model file")
    try:
        xllamacpp = importlib.import_module("xllamacpp")
    except ImportError as error:
        raise MissingDependencyError("xllamacpp", "local") from error
    parameters = xllamacpp.CommonParams()
    parameters.model.path, parameters.hostnames, parameters.port = str(path), ["127.0.0.1"], 0
    parameters.n_ctx, parameters.n_parallel = judge.context * judge.max_concurrency, judge.max_concurrency
    parameters.ui, parameters.verbosity, parameters.cache_prompt = False, 0, False
    threads = judge.threads or os.cpu_count() or 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    return xllamacpp.Server(parameters)


def _replies(completion: dict[str, Any], model: str) -> dict[str, Any]:
    from haystack.dataclasses import ChatMessage

    if "error" in completion:
        error = completion["error"]
        raise LocalModelError(str(error.get("message", error)), int(error.get("code", 500)))
    choice = completion["choices"][0]
    usage = completion.get("usage", {})
    meta = {"model": model, "finish_reason": choice["finish_reason"], "usage": usage}
    if choice.get("logprobs"):
        meta["logprobs"] = choice["logprobs"]
    return {"replies": [ChatMessage.from_assistant(choice["message"]["content"] or "", meta=meta)]}


_fingerprints: dict[tuple[str, int, int], str] = {}


def _fingerprint(path: Path) -> str:
    """Eight hex digits of a hash of the size and the first and last megabyte."""
    stat = path.stat()
    known = (str(path), stat.st_size, stat.st_mtime_ns)
    if known not in _fingerprints:
        with path.open("rb") as file:
            head = file.read(_SAMPLE)
            file.seek(max(0, stat.st_size - _SAMPLE))
            whole = b"%d" % stat.st_size + head + file.read(_SAMPLE)
        _fingerprints[known] = hashlib.sha256(whole).hexdigest()[:8]
    return _fingerprints[known]
