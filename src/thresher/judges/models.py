"""Judges by name: OpenAI, servers with its API, local model files and recordings."""

import re
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.results.redaction import is_variable, redacted

_GGUF = "gguf:"
_RECORDED = "recorded:"
_GENERATION = {"temperature": 0, "seed": 42}
_KEY = "OPENAI_API_KEY"
_BRIEF = {"max_tokens": 2048}
"""Small local models may repeat themselves endlessly."""


def default_judge() -> Any:
    """Return Haystack's OpenAIChatGenerator with its default model, temperature 0 and a seed.

    The key is read from OPENAI_API_KEY when the judge is first asked. Temperature and seed are omitted for a
    model that refuses them.
    """
    from haystack.components.generators.chat.openai import OpenAIChatGenerator

    return OpenAIChatGenerator(generation_kwargs=dict(_GENERATION))


def judge_named(
    model: str,
    url: str | None = None,
    *,
    key_variable: str = _KEY,
    generation_kwargs: dict[str, Any] | None = None,
) -> Any:
    """Return the judge for a name, as on the command line.

    Args:
        model: a model of OpenAI or of the server at `url`; `gguf:` and the path of a local model file, which
            runs in this process (extra `local`); or `recorded:` and a recording: a file or the name of a
            shipped one.
        url: base url of a server with OpenAI's API, e.g. `http://127.0.0.1:8000/v1`; OpenAI's by default.
            The key is optional for such a server, unless `key_variable` names another variable.
        key_variable: environment variable that holds the key. The key itself is never stored.
        generation_kwargs: generation settings, added to temperature 0 and a seed or overriding them.

    Returns:
        A Haystack ChatGenerator. Nothing is read, loaded or connected before the first question.

    Raises:
        InputError: for a model file or a recording with a url, an invalid url, an empty name, or a
            `key_variable` that cannot be the name of a variable.
    """
    if not model:
        raise InputError("the judge's model name is empty; give the name of a model")
    if not is_variable(key_variable):  # the key itself, perhaps, so the message does not repeat it
        raise InputError(
            f"the judge's key is given as {counted(len(key_variable), 'character')} that name no environment "
            "variable; store the key in a variable such as OPENAI_API_KEY and give the name of the variable"
        )
    generation = {**_GENERATION, **(generation_kwargs or {})}
    if url and model.startswith((_GGUF, _RECORDED)):
        raise InputError(f"{model} runs without a url; omit the model or {_shown(url)}")
    if model.startswith(_RECORDED):
        from thresher.judges.recorded import RecordedChatGenerator

        return RecordedChatGenerator(model.removeprefix(_RECORDED))
    if model.startswith(_GGUF):
        from thresher.judges.local import LocalChatGenerator

        return LocalChatGenerator(model.removeprefix(_GGUF), generation_kwargs=_BRIEF | generation)
    if url and not re.match(r"https?://[^/]", url):
        raise InputError(
            f"the judge's url {_shown(url)!r} must begin with http:// or https:// and name a host"
        )
    from haystack.components.generators.chat.openai import OpenAIChatGenerator
    from haystack.utils import Secret

    secret = Secret.from_env_var(key_variable, strict=url is None or key_variable != _KEY)
    return OpenAIChatGenerator(api_key=secret, model=model, api_base_url=url, generation_kwargs=generation)


def _shown(url: str) -> str:
    """The url without credentials, for messages."""
    return str(redacted(url, "url"))
