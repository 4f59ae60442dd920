"""Who a generator is: what its answers depend on, and what its client needs."""

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
"""Init parameters that do not change what is answered."""
_NEVER = 86_400.0  # seconds: the engine times requests out, and two time-outs would cut off the longer one


def model_of(source: Any) -> str:
    """The model that a generator is set to; its class where it names none."""
    for name in ("model", "model_name", "azure_deployment"):
        value = getattr(source, name, None)
        if isinstance(value, str) and value:
            return value
    return type(source).__name__


def endpoint_of(source: Any) -> str:
    """Where a generator sends its requests; its class where it names no address."""
    names = ("api_base_url", "azure_endpoint", "url")
    addresses = (getattr(source, name, None) for name in names)
    return next((str(address) for address in addresses if address), class_name(source))


def generation_of(source: Any) -> dict[str, Any]:
    """The generation settings of a generator without credentials, for the signature."""
    options = getattr(source, "generation_kwargs", None)
    return dict(redacted(options)) if isinstance(options, dict) else {}


def redacted_setting(source: Any) -> str | None:
    """The init parameter where a generator has the fingerprint of a credential instead of the credential.

    A pipeline's stored YAML has them; sending them would only be rejected, or end in a server's log.
    """
    inner = getattr(source, "chat_generators", None)
    tried = inner if isinstance(inner, list) else []
    names = inspect.signature(type(source).__init__).parameters
    own = {name: value for name, value in getattr(source, "__dict__", {}).items() if name in names}
    places = (redacted_place(own), *(redacted_setting(one) for one in tried))
    return next((place for place in places if place is not None), None)


def parameters_of(source: Any) -> str | None:
    """Everything that a generator's answers depend on, as text; None if it cannot be told.

    What is None is left out, so that an option that a later version adds changes no key. A function among the
    parameters is known by its name, which does not tell what it does.
    """
    try:
        told = source.to_dict()["init_parameters"]
    except Exception:  # noqa: BLE001  (keys given as plain tokens refuse to be told; then we look ourselves)
        told = _own_parameters(source)
    if not told or _names_function(source, told):
        return None
    kept = {name: value for name, value in told.items() if name not in _TRANSPORT and value is not None}
    try:
        return json.dumps([class_name(source), kept], sort_keys=True)
    except (TypeError, ValueError):
        return None


def _names_function(source: Any, told: dict[str, Any]) -> bool:
    """Whether a parameter of a generator, or of one that it tries, is a function that is told by its name."""
    inner = getattr(source, "chat_generators", None)
    tried = inner if isinstance(inner, list) else []
    return any(
        isinstance(value, str) and name not in _TRANSPORT and callable(getattr(source, name, None))
        for name, value in told.items()
    ) or any(parameters_of(one) is None for one in tried)


def _own_parameters(source: Any) -> dict[str, Any] | None:
    names = [name for name in inspect.signature(type(source).__init__).parameters if name != "self"]
    if not has_openai_client(source) or not all(hasattr(source, name) for name in names):
        return None
    return {name: getattr(source, name) for name in names if name not in _TRANSPORT}


def class_name(source: Any) -> str:
    """Module and name of a generator's class."""
    return f"{type(source).__module__}.{type(source).__qualname__}"


def has_openai_client(source: Any) -> bool:
    """Whether a generator builds OpenAI's client for itself, as OpenAIChatGenerator and its kin do."""
    names = ("client", "async_client", "max_retries", "timeout", "warm_up_async", "close_async")
    return all(hasattr(source, name) for name in names)


def speaks_openai(source: Any) -> bool:
    """Whether `generation_kwargs["extra_body"]` reaches an endpoint with OpenAI's API."""
    derived = any(cls.__name__ == "OpenAIChatGenerator" for cls in type(source).__mro__)
    return derived or bool(getattr(source, "speaks_openai", False))


def without_own_retries(source: Any) -> Any:
    """A copy that has no client yet, and whose client will neither retry nor time out.

    The generators that a FallbackChatGenerator tries are copied in the same way. None if the generator has
    no client that we know.
    """
    inner = getattr(source, "chat_generators", None)
    if isinstance(inner, list) and any(map(has_openai_client, inner)):
        target = copy.copy(source)
        target.chat_generators = [without_own_retries(one) or one for one in inner]
        return target
    if not has_openai_client(source):
        return None
    target = copy.copy(source)
    target.client = target.async_client = None
    target.max_retries, target.timeout = 0, _NEVER
    if getattr(target, "api_base_url", None) and _does_without_key(target):
        from haystack.utils import Secret

        target.api_key = Secret.from_token("none")
    return target


def _does_without_key(source: Any) -> bool:
    """Whether a key is optional and not there; OpenAI's client wants some key even then."""
    resolve = getattr(getattr(source, "api_key", None), "resolve_value", None)
    try:
        return resolve is not None and not resolve()
    except ValueError:  # it is not optional
        return False


def transport_of(source: Any) -> str:
    """What else two generators must share to share a client: the key, and how the client connects."""
    secret: Any = getattr(source, "api_key", None)
    try:
        key = secret.resolve_value() if hasattr(secret, "resolve_value") else secret
    except ValueError:
        key = None
    names = ("organization", "timeout", "max_retries", "http_client_kwargs")
    rest = [repr(getattr(source, name, None)) for name in names]
    return hashlib.sha256(repr([key, *rest]).encode()).hexdigest()
