"""Identity of a generator: what its answers depend on, and what its client needs."""

import copy
import hashlib
import inspect
import json
from typing import Any

from thresher.results.redaction import redacted, redacted_place

_TRANSPORT = frozenset(
    {"api_key", "organization", "timeout", "max_retries", "http_client_kwargs", "streaming_callback"}
    | {"azure_ad_token", "azure_ad_token_provider", "default_headers"}
)
"""Init parameters that do not affect answers."""
_NEVER = 86_400.0  # seconds: the engine has the time-out


def model_of(source: Any) -> str:
    """The generator's model, or its class if it names none."""
    for name in ("model", "model_name", "azure_deployment"):
        value = getattr(source, name, None)
        if isinstance(value, str) and value:
            return value
    return type(source).__name__


def endpoint_of(source: Any) -> str:
    """Address of the generator's endpoint, or its class if it names none."""
    names = ("api_base_url", "azure_endpoint", "url")
    addresses = (getattr(source, name, None) for name in names)
    return next((str(address) for address in addresses if address), class_name(source))


def generation_of(source: Any) -> dict[str, Any]:
    """The generator's settings without credentials, for the signature."""
    options = getattr(source, "generation_kwargs", None)
    return dict(redacted(options)) if isinstance(options, dict) else {}


def redacted_setting(source: Any) -> str | None:
    """Return the init parameter that holds a fingerprint instead of a credential, as in stored pipelines.

    Sent to a server, a fingerprint would be rejected, or end in its log.
    """
    names = inspect.signature(type(source).__init__).parameters
    own = {name: value for name, value in getattr(source, "__dict__", {}).items() if name in names}
    places = (redacted_place(own), *map(redacted_setting, _fallbacks(source)))
    return next((place for place in places if place is not None), None)


def parameters_of(source: Any) -> str | None:
    """Everything that a generator's answers depend on, as text; None if unknown.

    Parameters that are None are omitted, so that an option added by a later version changes no key.
    """
    try:
        parameters = source.to_dict()["init_parameters"]
    except Exception:  # noqa: BLE001  (plain tokens cannot be serialised; then read the attributes)
        parameters = _own_parameters(source)
    if not parameters or _names_function(source, parameters):
        return None
    known = {
        name: value for name, value in parameters.items() if name not in _TRANSPORT and value is not None
    }
    try:
        return json.dumps([class_name(source), known], sort_keys=True)
    except (TypeError, ValueError):
        return None


def _fallbacks(source: Any) -> list[Any]:
    """The generators that a FallbackChatGenerator tries."""
    inner = getattr(source, "chat_generators", None)
    return inner if isinstance(inner, list) else []


def _names_function(source: Any, parameters: dict[str, Any]) -> bool:
    """Whether a parameter is a callable. It serialises by name only, so equal keys could hide other code."""
    return any(
        isinstance(value, str) and name not in _TRANSPORT and callable(getattr(source, name, None))
        for name, value in parameters.items()
    ) or any(parameters_of(fallback) is None for fallback in _fallbacks(source))


def _own_parameters(source: Any) -> dict[str, Any] | None:
    names = [name for name in inspect.signature(type(source).__init__).parameters if name != "self"]
    if not has_openai_client(source) or not all(hasattr(source, name) for name in names):
        return None
    return {name: getattr(source, name) for name in names if name not in _TRANSPORT}


def class_name(source: Any) -> str:
    """Module and name of a generator's class."""
    return f"{type(source).__module__}.{type(source).__qualname__}"


def has_openai_client(source: Any) -> bool:
    """Whether a generator builds OpenAI's client itself, as OpenAIChatGenerator and its subclasses do."""
    names = ("client", "async_client", "max_retries", "timeout", "warm_up_async", "close_async")
    return all(hasattr(source, name) for name in names)


def speaks_openai(source: Any) -> bool:
    """Whether the generator passes `generation_kwargs["extra_body"]` to an endpoint with OpenAI's API."""
    derived = any(cls.__name__ == "OpenAIChatGenerator" for cls in type(source).__mro__)
    return derived or bool(getattr(source, "speaks_openai", False))


def without_own_retries(source: Any) -> Any:
    """Copy a generator without its client; the copy's client will neither retry nor time out.

    The generators of a FallbackChatGenerator are copied in the same way. None if the kind of client is
    unknown.
    """
    fallbacks = _fallbacks(source)
    if any(map(has_openai_client, fallbacks)):
        target = copy.copy(source)
        target.chat_generators = [without_own_retries(fallback) or fallback for fallback in fallbacks]
        return target
    if not has_openai_client(source):
        return None
    target = copy.copy(source)
    target.client = target.async_client = None
    target.max_retries, target.timeout = 0, _NEVER
    if getattr(target, "api_base_url", None) and _lacks_optional_key(target):
        from haystack.utils import Secret

        target.api_key = Secret.from_token("none")
    return target


def _lacks_optional_key(source: Any) -> bool:
    """Whether the key is optional and missing; OpenAI's client requires some key even then."""
    key = getattr(source, "api_key", "")
    resolve = getattr(key, "resolve_value", None)
    try:
        return key is None or (resolve is not None and not resolve())
    except ValueError:  # required
        return False


def transport_of(source: Any) -> str:
    """Hash of key and connection settings; generators share a client only if they are equal."""
    secret: Any = getattr(source, "api_key", None)
    try:
        key = secret.resolve_value() if hasattr(secret, "resolve_value") else secret
    except ValueError:
        key = None
    names = ("organization", "timeout", "max_retries", "http_client_kwargs")
    rest = [repr(getattr(source, name, None)) for name in names]
    return hashlib.sha256(repr([key, *rest]).encode()).hexdigest()
