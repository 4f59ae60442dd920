"""Judge that replays a recording, so that judged metrics run without a key and a network."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from thresher.errors import InputError
from thresher.files.image_texts import image_from
from thresher.files.opening import read_bytes
from thresher.files.parsing import parse_json
from thresher.files.writing import replace_file
from thresher.judges.flow import Answer, Ask, digest
from thresher.known_secrets import without_secrets

if TYPE_CHECKING:
    from haystack.dataclasses import ChatMessage

FOLDER = Path(__file__).parent / "recordings"
_EXCERPT = 80
_COUNTS = 2  # tokens of the prompt and of the reply


class MissingRecordingError(LookupError):
    """The recording has no answer to a prompt."""


class RecordedChatGenerator:
    """A ChatGenerator that replays answers of a real model; it never invents an answer.

    Its model is `recorded:` and the name of the recorded model, so every signature and report shows it.

    Args:
        recording: a file written by `Recording.save`, or the name of a shipped one.

    Raises:
        InputError: at the first question, if the file does not exist or is not a recording; for a message
            with calls of tools or their results.
        MissingRecordingError: from `run`, for a prompt that was not recorded.
    """

    replays = True
    """Marks that no model is called: the engine counts no calls and caches nothing."""

    def __init__(self, recording: str) -> None:
        self.recording = str(recording)
        self._read: Recording | None = None

    @property
    def model(self) -> str:
        """`recorded:` and the name of the model."""
        return f"recorded:{self._recording().model}"

    def to_dict(self) -> dict[str, Any]:
        """Serialise as Haystack does."""
        kind = f"{type(self).__module__}.{type(self).__qualname__}"
        return {"type": kind, "init_parameters": {"recording": self.recording}}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Deserialise; the inverse of `to_dict`."""
        return cls(**data.get("init_parameters", {}))

    def run(self, messages: "list[ChatMessage]") -> dict[str, Any]:
        """Replay the answer to these messages.

        Returns:
            `replies`: a list of one ChatMessage.
        """
        from haystack.dataclasses import ChatMessage

        recording = self._recording()
        key = digest(_parts(message) for message in messages)
        entry = recording.entries.get(key)
        if entry is None:
            excerpt = " ".join((messages[-1].text or "").split())[:_EXCERPT]
            raise MissingRecordingError(
                f"the recording {self.recording} (of {recording.model}) has no answer to the prompt "
                f"{excerpt!r}...: record it again with a real model"
            )
        usage = dict(zip(("prompt_tokens", "completion_tokens"), entry["tokens"], strict=True))
        meta = {
            "model": self.model,
            "finish_reason": entry["finish"],
            "usage": usage,
            "latency": 0.0,
            "logprobs": entry.get("logprobs"),
        }
        return {"replies": [ChatMessage.from_assistant(entry["reply"], meta=meta)]}

    async def run_async(self, messages: "list[ChatMessage]") -> dict[str, Any]:
        """Run like `run`."""
        return self.run(messages)

    def _recording(self) -> "Recording":
        if self._read is None:
            path = Path(self.recording)
            shipped = FOLDER / f"{self.recording}.json.gz"
            self._read = Recording.load(shipped if shipped.is_file() and not path.is_file() else path)
        return self._read


def _parts(message: "ChatMessage") -> list[Any]:
    """What identifies a message, as `Message.parts`."""
    if message.tool_calls or message.tool_call_results:
        raise InputError(
            "recordings identify a prompt by its texts and images, and this one holds calls of tools; "
            "pass calls and their results as text"
        )
    images = [image_from(image, "the prompt").identity for image in message.images]
    return [message.role.value, message.text, *([images] if images else [])]


class Recording:
    """Answers of one real model by prompt, without latencies.

    ```python
    recording = Recording("my-model")
    with asking(listener=recording.keep, cache=False):
        pipeline.run(data)
    recording.save("answers.json.gz")
    ```

    Args:
        model: the model's name.
        entries: digest of the messages -> reply, finish reason and tokens.
        about: a note on how it was made.
    """

    def __init__(
        self, model: str, entries: Mapping[str, dict[str, Any]] | None = None, about: str = ""
    ) -> None:
        self.model = model
        self.entries = dict(entries or {})
        self.about = about

    def keep(self, ask: Ask[Any], answer: Answer) -> None:
        """Add an answer; a listener for `asking`."""
        tokens = [answer.prompt_tokens, answer.completion_tokens]
        self.entries[ask.digest] = {
            "prompt": ask.prompt,
            "reply": answer.text,
            "finish": answer.finish,
            "tokens": tokens,
        }
        if answer.logprobs is not None:
            self.entries[ask.digest]["logprobs"] = answer.logprobs

    def save(self, path: str | Path) -> None:
        """Write a gzipped JSON file; equal recordings give equal bytes with the same Python.

        Raises:
            InputError: if the file cannot be written.
            DiskFullError: if the disk is full.
        """
        data = {"model": self.model, "about": self.about, "answers": dict(sorted(self.entries.items()))}
        text = json.dumps(data, ensure_ascii=False, indent=1)
        replace_file(path, gzip.compress(without_secrets(text).encode(), mtime=0))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The inverse of `save`.

        Raises:
            InputError: if the file does not exist or is not a recording.
        """
        if not Path(path).is_file():
            shipped = ", ".join(sorted(file.name.split(".")[0] for file in FOLDER.glob("*.json.gz")))
            looked = "" if Path(path).is_absolute() else f" (looked from {Path.cwd()})"
            raise InputError(f"the recording {path} does not exist; shipped are: {shipped or 'none'}{looked}")
        try:
            data = parse_json(read_bytes(Path(path), gzipped=True).decode(), path)
            return cls(data["model"], _checked_entries(data["answers"]), data.get("about", ""))
        except InputError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path} is not a recording: {error}; record the answers again") from error


def _checked_entries(entries: Any) -> dict[str, dict[str, Any]]:
    """The answers of a recording.

    Raises:
        TypeError: if an answer lacks a field, or a field has another type.
    """
    if not isinstance(entries, dict):
        raise TypeError("its answers are not an object")
    for key, entry in entries.items():
        tokens = entry.get("tokens") if isinstance(entry, dict) else None
        whole = (
            isinstance(tokens, list)
            and len(tokens) == _COUNTS
            and all(type(count) is int for count in tokens)
        )
        if not whole or not all(isinstance(entry.get(name), str) for name in ("reply", "finish")):
            raise TypeError(f"the answer {key!r} must have the texts `reply` and `finish`, and two `tokens`")
    return entries
