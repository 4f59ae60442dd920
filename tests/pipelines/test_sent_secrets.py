"""Which variables a pipeline file would send where, wherever in the file they are."""

from pathlib import Path

import pytest
import yaml
from haystack import Pipeline
from haystack.components.embedders import OpenAITextEmbedder
from haystack.components.generators.chat import FallbackChatGenerator
from haystack.components.generators.chat.azure import AzureOpenAIChatGenerator
from haystack.components.generators.chat.openai import OpenAIChatGenerator
from haystack.utils import Secret

from thresher import InputError, build, load_pipeline, recipe_names
from thresher.components import SemanticSimilarityEvaluator, ValorCoherenceEvaluator
from thresher.pipelines.library import recipe_text
from thresher.pipelines.sent_secrets import Consent, check_secrets

CHAT = "haystack.components.generators.chat"
OPENAI = f"{CHAT}.openai.OpenAIChatGenerator"
AZURE = f"{CHAT}.azure.AzureOpenAIChatGenerator"
AZURE_URL = "https://mine.openai.azure.com"
EVIL = "http://evil.example:81/v1?q"


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    for name in ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "MY_KEY"):
        monkeypatch.setenv(name, "x")


def variable(*names):
    return {"type": "env_var", "env_vars": list(names), "strict": False}


def thing(kind=OPENAI, **options):
    return {"type": kind, "init_parameters": options}


def metric(judge, **options):
    return thing(
        "thresher.components.judged.valor.coherence.ValorCoherenceEvaluator", chat_generator=judge, **options
    )


def sent(component, consent=None):
    """What the refusal of a file with this component lists; empty if it is accepted."""
    try:
        check_secrets({"x": component}, "p.yaml", consent or Consent())
    except InputError as error:
        return str(error).partition(" send ")[2].partition(": add --trust (in Python, trust=True)")[0]
    return ""


def dumped(*metrics):
    return yaml.safe_load(build(list(metrics)).dumps())["components"]


@pytest.mark.parametrize(
    "judge",
    [
        OpenAIChatGenerator(),
        OpenAIChatGenerator(api_base_url="https://api.openai.com/v1"),
        OpenAIChatGenerator(api_base_url="https://EU.api.openai.com:443/v1"),
        OpenAIChatGenerator(Secret.from_env_var("MISTRAL_API_KEY"), api_base_url="https://api.mistral.ai/v1"),
        AzureOpenAIChatGenerator(AZURE_URL),
        FallbackChatGenerator([OpenAIChatGenerator(), AzureOpenAIChatGenerator(AZURE_URL)]),
    ],
)  # fmt: skip
def test_keys_of_known_providers_go_to_them(judge):
    check_secrets(dumped(ValorCoherenceEvaluator(judge)), "p.yaml", Consent())


def test_shipped_recipes_and_files_without_secrets_are_accepted():
    for name in recipe_names():
        check_secrets(yaml.safe_load(recipe_text(name))["components"], name, Consent())
    judge = thing("haystack.components.generators.chat.mock.MockChatGenerator", url="http://127.0.0.1:1")
    assert not sent(metric(judge))


@pytest.mark.parametrize(
    ("judge", "listed"),
    [
        (thing(api_key=variable("MY_KEY")), "MY_KEY to the service of OpenAIChatGenerator"),
        (thing(api_base_url=EVIL), "OPENAI_API_KEY to http://evil.example:81"),
        (thing(api_base_url=EVIL, api_key=None), "OPENAI_API_KEY to http://evil.example:81"),
        (
            thing(api_base_url=EVIL, api_key=variable("OPENAI_API_KEY", "MY_KEY")),
            "MY_KEY to http://evil.example:81, OPENAI_API_KEY to http://evil.example:81",
        ),
        (thing(api_base_url="http://me:pw@127.0.0.1:8000/v1"), "OPENAI_API_KEY to http://127.0.0.1:8000"),
        (thing(api_base_url="http://api.openai.com/v1"), "OPENAI_API_KEY to http://api.openai.com"),
        (thing(api_base_url="https://api.openai.com@evil.example"), "OPENAI_API_KEY to https://evil.example"),
        (
            thing(api_base_url="https://evil.example\\@api.openai.com"),
            "OPENAI_API_KEY to https://api.openai.com",
        ),
        (thing(api_base_url=" HTTP://evil.example"), "OPENAI_API_KEY to http://evil.example"),
        (thing(api_base_url="https://openrouter.a\u0131"), "OPENAI_API_KEY to https://openrouter.a\u0131"),
        (thing(api_base_url="https://notopenai.com"), "OPENAI_API_KEY to https://notopenai.com"),
        (thing(http_client_kwargs={"proxy": "evil.example:81"}), "OPENAI_API_KEY to evil.example:81"),
        (
            thing(http_client_kwargs={"proxies": {"https": "evil.example"}}),
            "OPENAI_API_KEY to evil.example",
        ),
        (
            thing(api_base_url=thing("builtins.str", object="evil.example")),
            "OPENAI_API_KEY to an address made by builtins.str",
        ),
        (thing(api_base_url=b"http://evil"), "OPENAI_API_KEY to an address in the bytes of api_base_url"),
        (
            thing(generation_kwargs={"extra_headers": {"X": variable("MY_KEY")}}),
            "MY_KEY to the service of OpenAIChatGenerator",
        ),
        (
            thing(AZURE, azure_endpoint="https://evil.example"),
            "AZURE_OPENAI_AD_TOKEN to https://evil.example, AZURE_OPENAI_API_KEY to https://evil.example",
        ),
        (
            thing(AZURE, azure_endpoint="https://mine.openai.azure.com", api_version=variable("MY_KEY")),
            "MY_KEY to https://mine.openai.azure.com",
        ),
        (
            thing("x.Service", url="http://e", auth={"type": "key", "k": variable("HF_TOKEN")}),
            "HF_TOKEN to http://e, HF_TOKEN to the service of Service",
        ),
        (
            thing(AZURE, api_key=variable("OPENAI_API_KEY")),
            "OPENAI_API_KEY to the service of AzureOpenAIChatGenerator",
        ),
    ],
)  # fmt: skip
def test_other_variables_and_addresses_are_listed(judge, listed):
    assert sent(metric(judge)) == listed
    assert not sent(metric(judge), Consent(trust=True))


def test_a_decoy_hides_nothing():
    """An allowed and a refused variable or address."""
    decoy = {**thing(api_base_url=EVIL), "env_vars": ["OPENAI_API_KEY"]}
    assert sent(metric(decoy)) == "OPENAI_API_KEY to http://evil.example:81"
    inner = thing(generation_kwargs={"env_vars": ["OPENAI_API_KEY"], "x": variable("MY_KEY"), "url": EVIL})
    assert "MY_KEY to http://evil.example:81" in sent(metric(inner))
    assert "MY_KEY to http://evil.example:81" in sent({**metric(inner), "env_vars": []})
    closed = thing(http_client_kwargs=thing("a.B", proxy=EVIL, key=variable("OPENAI_API_KEY")))
    assert "OPENAI_API_KEY to http://evil.example:81" in sent(metric(closed))
    named = "https://api.openai.com"
    text = thing("x.OpenAPI", credentials=variable("OPENAI_API_KEY"), spec="{...}", url=named)
    assert sent(text) == "OPENAI_API_KEY to the service of OpenAPI"
    allowed = Consent(new_judge=True, variable="OPENAI_API_KEY", url=named)
    assert sent(text, allowed) == "OPENAI_API_KEY to the service of OpenAPI"


def test_a_token_of_the_machine_goes_to_azure_only():
    provider = "haystack.utils.azure.default_azure_ad_token_provider"
    evil = thing(AZURE, azure_endpoint="https://evil.example", azure_ad_token_provider=provider)
    assert "default_azure_ad_token_provider to https://evil.example" in sent(metric(evil))
    own = thing(AZURE, azure_endpoint="https://mine.openai.azure.com", azure_ad_token_provider=provider)
    assert not sent(metric(own))


def test_each_judge_of_a_list_has_its_own_address():
    local = thing(api_base_url="http://127.0.0.1:8000", api_key=variable("VLLM_KEY"))
    several = thing(f"{CHAT}.fallback.FallbackChatGenerator", chat_generators=[thing(), local])
    assert sent(metric(several)) == "VLLM_KEY to http://127.0.0.1:8000"


def test_texts_of_a_prompt_headers_and_schemas_are_not_addresses():
    schema = {"$schema": "https://json-schema.org/draft", "type": "object"}
    judge = thing(
        generation_kwargs={"response_format": {"json_schema": {"schema": schema}}},
        default_headers={"HTTP-Referer": "https://mine.example"},
    )
    assert not sent(metric(judge, prompt="Read https://mine.example first."))


@pytest.mark.parametrize(
    ("expression", "refused"),
    [("$ENV", True), (".a | env", True), ("env.MY_KEY", True), (".env", False), ('.["environment"]', False)],
)
def test_expressions_that_read_all_variables_are_refused(expression, refused):
    converter = thing("haystack.components.converters.json.JSONConverter", jq_schema=expression)
    assert sent(converter) == ("all variables to the service of JSONConverter" if refused else "")


@pytest.mark.parametrize("kind", ["EnvVarSecret", "Secret", "TokenSecret"])
def test_secrets_have_one_form_in_files(kind, tmp_path):
    secret = {
        "type": f"haystack.utils.auth.{kind}",
        "init_parameters": {"_env_vars": ["MY_KEY"], "_token": "x"},
    }
    other = secret | {"data": {"type": "env_var", "_env_vars": ["MY_KEY"]}}
    for key in (secret, other):
        pipeline = {"components": {"x": thing(api_key=key, api_base_url=EVIL)}}
        (tmp_path / "p.yaml").write_text(yaml.safe_dump(pipeline))
        with pytest.raises(InputError):
            load_pipeline(tmp_path / "p.yaml", trust=True)


def test_an_embedder_is_checked_as_a_judge_is():
    embedder = OpenAITextEmbedder(api_base_url="http://127.0.0.1:1/v1")
    (part,) = (
        part
        for name, part in dumped(SemanticSimilarityEvaluator(embedder=embedder)).items()
        if name != "collector"
    )
    assert sent(part) == "OPENAI_API_KEY to http://127.0.0.1:1"
    named = Consent(new_judge=True, variable="OPENAI_API_KEY", url="http://127.0.0.1:1/other")
    assert not sent(part, named)
    assert sent(part, Consent(new_judge=True, variable="MY_KEY", url="http://127.0.0.1:1/v1"))
    assert sent(part, Consent(new_judge=True, variable="OPENAI_API_KEY", url="http://127.0.0.1:2/v1"))


def test_a_file_is_refused_before_a_component_is_created(tmp_path, monkeypatch):
    path = Path(tmp_path, "p.yaml")
    path.write_text(build([ValorCoherenceEvaluator(OpenAIChatGenerator(api_base_url=EVIL))]).dumps())
    created = []
    monkeypatch.setattr(Pipeline, "from_dict", lambda *_, **__: created.append(1))
    with pytest.raises(InputError, match=r"OPENAI_API_KEY to http://evil\.example:81: add --trust"):
        load_pipeline(path)
    assert not created
    load_pipeline(path, trust=True)
    assert created


def test_a_password_with_a_slash_is_not_taken_for_the_port():
    judge = thing(api_key=variable("MY_KEY"), api_base_url="http://me:pass/word77@127.0.0.1:81/v1")
    assert "MY_KEY to http://127.0.0.1:81" in sent(metric(judge))
    assert "pass" not in sent(metric(judge))
