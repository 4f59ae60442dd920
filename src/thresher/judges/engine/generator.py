"""A ChatGenerator prepared for the engine: identified, on the engine's loop, without its own retries."""

import asyncio
import inspect
import re
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from thresher.errors import InputError, ThresherError
from thresher.judges.engine import wire
from thresher.judges.engine.answering import answer_in, answer_of, cut_off, messages_of, plain_messages_of
from thresher.judges.engine.background import as_error, run_in_thread
from thresher.judges.engine.batches.anthropic_batches import ANTHROPIC, AnthropicBatches
from thresher.judges.engine.batches.api import BatchApi
from thresher.judges.engine.batches.openai_batches import OpenAIBatches
from thresher.judges.engine.endpoint_limits import SendPermit
from thresher.judges.engine.identity import (
    endpoint_of,
    model_of,
    parameters_of,
    redacted_setting,
    speaks_openai,
    without_own_retries,
)
from thresher.judges.engine.packed_answers import cleaned
from thresher.judges.engine.transport import Trouble, trouble
from thresher.judges.flow import Answer, Ask
from thresher.known_secrets import scrub
from thresher.results.redaction import redacted_message, redacted_problem
from thresher.results.secret_values import remember_secrets_of

T = TypeVar("T")
_FORMATS = ("json_schema", "json_object", None)
_BAD_REQUEST = (400, 422)
_LIMITS = ("max_completion_tokens", "max_tokens")
"""Settings that limit the tokens of a reply."""
_RAISE = 4
"""Factor of the raised limit: reasoning that fills a limit set for replies, such as 2,048, has mostly ended
by 8,192, while a loop costs at most five times as much as before."""
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OPTIONAL = ("temperature", "seed", "top_p", "logprobs")
"""Settings that are omitted if a provider refuses them."""


class Generator:
    """A ChatGenerator prepared for the engine.

    A generator with OpenAI's client is copied: the copy has its own client on the engine's loop, and neither
    retries nor times out by itself, as the engine does both. Any other generator is used unchanged, through
    `run_async` if it has that, otherwise through `run` in threads. Haystack's own OpenAIChatGenerator uses
    the direct path (`wire`).

    Args:
        source: any object with a ChatGenerator's `run(messages)`.

    Raises:
        InputError: if it has no such method, or comes from a stored pipeline whose credentials are redacted.
    """

    def __init__(self, source: Any) -> None:
        if isinstance(source, type) or not callable(getattr(source, "run", None)):
            kind = f"the class {source.__name__}" if isinstance(source, type) else type(source).__name__
            raise InputError(f"chat_generator is {kind}; give a Haystack ChatGenerator")
        place = redacted_setting(source)
        if place is not None:
            raise InputError(f"chat_generator: {redacted_problem(place)}")
        remember_secrets_of(source)
        self.speaks_openai = speaks_openai(source)
        self.model = model_of(source)
        self.endpoint = endpoint_of(source)
        self.timeout: float | None = getattr(source, "timeout", None)
        self.max_concurrency: int | None = getattr(source, "max_concurrency", None)
        self.reads_images = bool(getattr(source, "reads_images", True))
        self.replays = bool(getattr(source, "replays", False))
        parameters = parameters_of(source)
        self.identity = parameters or f"object {uuid.uuid4()}"
        self.keepable = parameters is not None
        copied = without_own_retries(source)
        self.has_own_client = copied is not None
        self._target = source if copied is None else copied
        self._plain = copied is not None and wire.is_plain(copied)
        self.is_async = callable(getattr(self._target, "run_async", None))
        self._takes_settings = self.speaks_openai or _has_settings(source)
        self._formats = list(_FORMATS if self._may_send_schema() else _FORMATS[-1:])
        self._sent: set[str] = set()
        self._refused: set[str] = set()
        self.version = 0
        self._ready = False
        self._warming = asyncio.Lock()

    async def warm_up(self) -> None:
        """Build the client on the engine's loop.

        Raises:
            InputError: if that fails, for example without a key.
        """
        async with self._warming:
            if self._ready:
                return
            try:
                await self._warm_up_target()
            except ThresherError:
                raise
            except Exception as error:
                scrub(error)
                reason = redacted_message(str(error))
                raise InputError(f"the judge {self.model} cannot be used: {reason}") from error
            self._check_headers()
            self._plain = self._plain and wire.install_hooks(self._target)
            self._ready = True

    async def close(self) -> None:
        """Close the copy's client."""
        if self._ready and self.has_own_client:
            await self._target.close_async()
        self._ready = False

    async def ask(self, ask: Ask[Any], permit: SendPermit) -> Answer:
        """Send one request under a permit, and release the permit when the request has ended.

        A thread may end later than its time-out. Neither the answer nor an error repeats a known secret.
        """
        try:
            return cleaned(await self._answer(ask, permit))
        except BaseException as error:
            scrub(error)
            raise

    async def _answer(self, ask: Ask[Any], permit: SendPermit) -> Answer:
        options = self._options(ask)
        if self._plain:
            settings = options.get("generation_kwargs", {})
            data = await wire.post(self._target, permit, plain_messages_of(ask), settings)
            return answer_in(data, permit.elapsed(), self.model)
        arguments = {"messages": messages_of(ask), **options}
        await permit.acquire()
        if self.is_async:
            try:
                result = await self._run_async(arguments)
            finally:
                permit.release()
        else:
            result = await run_in_thread(lambda: self._target.run(**arguments), permit.release)
        return answer_of(result, permit.elapsed(), self.model)

    async def _run_async(self, arguments: dict[str, Any]) -> Any:
        try:
            return await self._target.run_async(**arguments)
        except asyncio.CancelledError as error:
            if _is_cancelled():
                raise
            raise as_error(error) from error
        except GeneratorExit:
            raise
        except BaseException as error:  # noqa: BLE001  (raised again, except truncated replies)
            return cut_off(as_error(error))

    def batch_api(self) -> BatchApi:
        """The provider's batch API, through the generator's client, which must be warm.

        Raises:
            InputError: if the generator has none that is supported, or no identity beyond this process.
        """
        if not self.keepable:
            raise InputError(
                f"batches: the settings of {self.model} cannot be serialised, so that its answers could not "
                "be collected after a stop; remove callables from them"
            )
        if self._plain:
            return OpenAIBatches(self._target, self.model)
        if type(self._target).__name__ == ANTHROPIC and not getattr(self._target, "tools", None):
            return AnthropicBatches(self._target, self.model)
        raise InputError(
            f"batches need a judge of class OpenAIChatGenerator or {ANTHROPIC}, without tools, callbacks and "
            f"special headers; {type(self._target).__name__} {self.model} can only be asked live"
        )

    def batch_body(self, api: BatchApi, ask: Ask[Any]) -> dict[str, Any]:
        """The body of an ask, as a line of a batch."""
        return api.body(plain_messages_of(ask), self._options(ask).get("generation_kwargs", {}))

    def adapt(self, error: BaseException, version: int) -> str | None:
        """After a refused request, omit a setting that the provider does not accept.

        Args:
            error: what the request raised.
            version: value of `version` before it; if another request has adapted since, only ask again.

        Returns:
            A note on what is omitted now; "" if it was omitted before; None if nothing can be.
        """
        fault = trouble(error)
        if fault.status not in _BAD_REQUEST:
            return None
        if version != self.version:
            return ""
        note = self._omit(fault)
        self.version += note is not None
        return note

    def _omit(self, fault: Trouble) -> str | None:
        text = fault.text.casefold()
        if self._formats[0] is not None and any(
            word in text for word in ("response_format", "schema", "structured", "json")
        ):
            return f"asked without response_format {self._formats.pop(0)}, which the provider refused"
        options = getattr(self._target, "generation_kwargs", None)
        own = options if self.has_own_client and isinstance(options, dict) else {}
        for name in _OPTIONAL:
            if name in text and name not in self._refused and (name in own or name in self._sent):
                self._refused.add(name)
                if name in own:
                    self._target.generation_kwargs = {k: v for k, v in own.items() if k != name}
                return f"asked without {name}, which the provider refused"
        return None

    def with_raised_limit(self, ask: Ask[T]) -> tuple[Ask[T], str] | None:
        """The ask with a raised token limit, and the change in words; None if the limit is unknown."""
        own = getattr(self._target, "generation_kwargs", None) or {}
        limit: dict[str, Any] = {name: own.get(name) for name in _LIMITS} | dict(ask.options)
        name = next((name for name in _LIMITS if type(limit.get(name)) is int), None)
        if name is None or not self._takes_settings:
            return None
        options = {**dict(ask.options), name: _RAISE * limit[name]}
        change = f"{name} raised from {limit[name]} to {options[name]}"
        return replace(ask, options=tuple(options.items())), change

    async def _warm_up_target(self) -> None:
        names = ("warm_up_async", "warm_up") if self.is_async else ("warm_up",)
        warm = next((getattr(self._target, name) for name in names if hasattr(self._target, name)), None)
        if warm is None:
            return
        ready = warm() if self.is_async else await asyncio.to_thread(warm)
        if inspect.isawaitable(ready):
            await ready

    def _check_headers(self) -> None:
        """Raise InputError for a header that HTTP cannot carry, which would fail once per request."""
        given = (getattr(self._target, "generation_kwargs", None) or {}).get("extra_headers") or {}
        headers = given.items() if isinstance(given, Mapping) else (("extra_headers", given),)
        key = getattr(getattr(self._target, "async_client", None), "api_key", None) or "none"
        for name, value in (("Authorization", key), *headers):
            is_text = (
                isinstance(value, str) and value.isascii() and value.isprintable() and value == value.strip()
            )
            if not (is_text and isinstance(name, str) and _HEADER.fullmatch(name)):
                raise InputError(
                    f"the judge {self.model} cannot be used: HTTP cannot carry the header {name!r}; give a "
                    "text of printable ASCII characters, without spaces around it"
                )

    def _may_send_schema(self) -> bool:
        own = getattr(self._target, "generation_kwargs", None) or {}
        return self.speaks_openai and "response_format" not in own

    def _options(self, ask: Ask[Any]) -> dict[str, Any]:
        """Options of a request; the ask's settings override the generator's.

        A generator without OpenAI's API gets raised token limits only, as its other settings may differ.
        The schema goes into the body itself, so that a truncated reply is returned instead of an exception. A
        form without a schema is plain text.
        """
        if not self.speaks_openai:
            limits = {name: value for name, value in ask.options if name in _LIMITS and self._takes_settings}
            return {"generation_kwargs": limits} if limits else {}
        refused = self._refused | {f"top_{name}" for name in self._refused}
        settings = {name: value for name, value in ask.options if name not in refused}
        self._sent.update(settings)
        schema = ask.schema.json_schema()
        form = self._formats[0]
        if form == "json_schema" and ask.prefix:  # OpenAI puts the schema before the messages
            form = "json_object"
        if form is None or not schema:
            return {"generation_kwargs": settings} if settings else {}
        response_format: dict[str, Any] = {"type": form}
        if form == "json_schema":
            name = ask.prompt.rpartition("/")[2].replace(".", "_")
            response_format["json_schema"] = {"name": name, "strict": True, "schema": schema}
        body = (getattr(self._target, "generation_kwargs", None) or {}).get("extra_body") or {}
        return {"generation_kwargs": {**settings, "extra_body": {**body, "response_format": response_format}}}


def _has_settings(source: Any) -> bool:
    """Whether `run` takes generation settings, as that of Haystack's generators does."""
    try:
        return "generation_kwargs" in inspect.signature(source.run).parameters
    except (TypeError, ValueError):  # a callable without a signature
        return False


def _is_cancelled() -> bool:
    """Whether the running task was cancelled, rather than the generator raising CancelledError by itself."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
