"""Models in options of components: how signatures describe them and pipelines store them."""

import hashlib
import json
from typing import Any

from haystack.core.serialization import component_to_dict

_MODEL_ATTRIBUTES = ("model", "model_name", "model_name_or_path", "name_or_path", "azure_deployment")


def model_description(model: Any) -> str:
    """Return class and model name, and a fingerprint of the settings without secrets if there are any."""
    names = (getattr(model, attribute, None) for attribute in _MODEL_ATTRIBUTES)
    name = next((f":{value}" for value in names if isinstance(value, str)), "")
    named = type(model).__name__ + name
    if not (hasattr(model, "__haystack_input__") or hasattr(model, "to_dict")):
        return named
    try:
        options = component_to_dict(model, "model").get("init_parameters", {})
    except Exception:  # noqa: BLE001  (a model of another package may raise anything; class and name are known)
        return named
    plain = {key: value for key, value in options.items() if not _is_secret(value)}
    whole = json.dumps(plain, sort_keys=True, default=lambda value: type(value).__name__)
    return f"{named}@{hashlib.sha256(whole.encode()).hexdigest()[:8]}"


def model_dict(model: Any) -> Any:
    """Return a model as pipeline files store it, whether or not it has `to_dict`."""
    return None if model is None else component_to_dict(model, "model")


def warm_up(model: Any) -> None:
    """Load the weights of a model that has any; Haystack components do it once."""
    if hasattr(model, "warm_up"):
        model.warm_up()


def _is_secret(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "env_var"
