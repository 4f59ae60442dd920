"""Environment variables of model providers, and the addresses that each may be sent to."""

import re
from dataclasses import dataclass

_HTTPS = re.compile(
    r"https://(?P<host>[a-z0-9.-]+)(?::\d+)?(?:[/?#].*)?", re.ASCII | re.IGNORECASE | re.DOTALL
)
"""Strict, because parsers disagree about user information, backslashes and other characters in a host."""
_ORIGIN = re.compile(r"(?:(?P<scheme>[a-z][a-z0-9+.-]*)://)?(?P<authority>[^/?#]*)", re.IGNORECASE)


@dataclass(frozen=True)
class Provider:
    """A provider of models.

    Attributes:
        variables: environment variables with its credentials, and its settings that are stored alike.
        hosts: its hosts; `*.` matches all subdomains. Hosts that show requests to customers are left out.
        classes: beginnings of the names of classes that call the provider if no address is given.
    """

    variables: tuple[str, ...]
    hosts: tuple[str, ...]
    classes: tuple[str, ...]


AZURE_TOKEN = "default_azure_ad_token_provider"  # noqa: S105  # a function's name
"""Haystack's function that gets a token for Azure with the credentials of the machine."""
_AZURE = ("API_KEY", "AD_TOKEN", "ENDPOINT", "API_VERSION")
_AWS = ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "DEFAULT_REGION", "PROFILE")
_HUGGING_FACE = (
    "HF",
    "HuggingFace",
    "SASEvaluator",
    "SentenceTransformers",
    "Transformers",
    "ExtractiveReader",
    "NamedEntityExtractor",
)
PROVIDERS = (
    Provider(("OPENAI_API_KEY",), ("*.openai.com",), ("OpenAI", "RemoteWhisper", "DALLE")),
    Provider(
        (*(f"AZURE_OPENAI_{name}" for name in _AZURE), AZURE_TOKEN),
        ("*.openai.azure.com", "*.cognitiveservices.azure.com", "*.services.ai.azure.com"),
        ("AzureOpenAI",),
    ),
    Provider(("ANTHROPIC_API_KEY",), ("*.anthropic.com",), ("Anthropic",)),
    Provider(("COHERE_API_KEY", "CO_API_KEY"), ("*.cohere.com", "*.cohere.ai"), ("Cohere",)),
    Provider(("MISTRAL_API_KEY",), ("*.mistral.ai",), ("Mistral",)),
    Provider(("HF_API_TOKEN", "HF_TOKEN"), ("*.huggingface.co",), _HUGGING_FACE),
    Provider(
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        ("generativelanguage.googleapis.com",),
        ("GoogleGenAI", "GoogleAI"),
    ),
    Provider(tuple(f"AWS_{name}" for name in _AWS), (), ("AmazonBedrock",)),
    Provider(("NVIDIA_API_KEY",), ("*.api.nvidia.com",), ("Nvidia",)),
    Provider(("GROQ_API_KEY",), ("api.groq.com",), ("Groq",)),
    Provider(("DEEPSEEK_API_KEY",), ("api.deepseek.com",), ("DeepSeek",)),
    Provider(("TOGETHER_API_KEY",), ("api.together.xyz", "api.together.ai"), ("Together",)),
    Provider(("FIREWORKS_API_KEY",), ("api.fireworks.ai",), ("Fireworks",)),
    Provider(("OPENROUTER_API_KEY",), ("openrouter.ai",), ("OpenRouter",)),
    Provider(("XAI_API_KEY",), ("api.x.ai",), ("XAI",)),
    Provider(("JINA_API_KEY",), ("*.jina.ai",), ("Jina",)),
    Provider(("VOYAGE_API_KEY",), ("api.voyageai.com",), ("Voyage",)),
)
_BY_VARIABLE = {variable: provider for provider in PROVIDERS for variable in provider.variables}


def is_provider(class_name: str) -> bool:
    """Whether a class calls a provider unless its options contain an address."""
    return any(class_name.startswith(provider.classes) for provider in PROVIDERS)


def is_known(variable: str, class_name: str, address: str) -> bool:
    """Whether a variable is sent to its own provider.

    Args:
        variable: name of the environment variable.
        class_name: name of the class that reads it.
        address: the URL that the file gives; empty for the class's own.

    >>> is_known("OPENAI_API_KEY", "OpenAIChatGenerator", "https://eu.api.openai.com/v1")
    True
    >>> is_known("OPENAI_API_KEY", "OpenAIChatGenerator", "https://api.openai.com.example.org/v1")
    False
    """
    provider = _BY_VARIABLE.get(variable)
    if provider is None:
        return False
    if not address:
        return class_name.startswith(provider.classes)
    url = _HTTPS.fullmatch(address)
    return url is not None and any(_is_host(url["host"].lower(), host) for host in provider.hosts)


def origin(address: str) -> str:
    """Scheme, host and port of an address, without user information.

    >>> origin("http://me:pw@127.0.0.1:8000/v1?key=x")
    'http://127.0.0.1:8000'
    """
    match = _ORIGIN.match(address.strip())
    if match is None:
        return address
    host = match["authority"].rpartition("@")[2].lower()
    return f"{match['scheme'].lower()}://{host}" if match["scheme"] else host


def _is_host(host: str, pattern: str) -> bool:
    domain = pattern.removeprefix("*.")
    return host == domain or (domain != pattern and host.endswith(f".{domain}"))
