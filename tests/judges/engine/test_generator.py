import pytest
from haystack.components.generators.chat import (
    AzureOpenAIChatGenerator,
    FallbackChatGenerator,
    MockChatGenerator,
    OpenAIChatGenerator,
    OpenAIResponsesChatGenerator,
)
from haystack.utils import Secret

from thresher.judges.engine.generator import Generator

KEY = Secret.from_token("secret")


@pytest.mark.parametrize(
    ("source", "model", "endpoint", "speaks_openai"),
    [
        (OpenAIChatGenerator(KEY, "m", api_base_url="http://here/v1"), "m", "http://here/v1", True),
        (
            AzureOpenAIChatGenerator("https://there", api_key=KEY, azure_deployment="d"),
            "d",
            "https://there",
            True,
        ),
        (
            OpenAIResponsesChatGenerator(api_key=KEY, model="r"),
            "r",
            "haystack.components.generators.chat.openai_responses.OpenAIResponsesChatGenerator",
            False,
        ),
    ],
)
def test_generators_with_openai_s_client_are_copied_and_told_apart(source, model, endpoint, speaks_openai):
    adopted = Generator(source)
    assert (adopted.model, adopted.endpoint, adopted.speaks_openai) == (model, endpoint, speaks_openai)
    assert adopted.has_own_client
    assert adopted.is_async
    assert adopted.keepable
    assert adopted.identity == Generator(source).identity
    assert "secret" not in adopted.identity
    assert (adopted._target.max_retries, source.max_retries) == (0, None)


def test_those_that_a_fallback_tries_do_not_retry_either():
    inner = OpenAIChatGenerator(KEY, "m", max_retries=4)
    source = FallbackChatGenerator([inner, MockChatGenerator("x")])
    adopted = Generator(source)
    assert adopted._target.chat_generators[0].max_retries == 0
    assert adopted._target.chat_generators[1] is source.chat_generators[1]
    assert (inner.max_retries, source.chat_generators[0]) == (4, inner)


def test_what_cannot_tell_its_parameters_is_kept_in_memory_alone():
    first, second = (Generator(MockChatGenerator(response_fn=lambda _: "x")) for _ in range(2))
    assert not first.keepable
    assert first.identity != second.identity


def said(_):
    return "x"


@pytest.mark.parametrize(
    "made",
    [
        lambda: MockChatGenerator(response_fn=said),
        lambda: FallbackChatGenerator([MockChatGenerator("y"), MockChatGenerator(response_fn=said)]),
    ],
)
def test_a_function_s_name_does_not_tell_what_it_answers(made):
    first, second = Generator(made()), Generator(made())
    assert not first.keepable
    assert first.identity != second.identity
    assert Generator(MockChatGenerator("x")).identity == Generator(MockChatGenerator("x")).identity


def test_a_generator_that_tells_its_parameters_may_hold_functions_of_which_it_tells_nothing():
    class Telling:
        def __init__(self, tokenizer):
            self.tokenizer = tokenizer

        def to_dict(self):
            return {"type": "Telling", "init_parameters": {"tokenizer": None, "size": 3}}

        def run(self, messages):
            return {"replies": messages}

    assert Generator(Telling(len)).identity == Generator(Telling(max)).identity
    assert Generator(Telling(len)).keepable


def test_parameters_that_are_none_do_not_count():
    plain = Generator(OpenAIChatGenerator(KEY, "m"))
    named = Generator(OpenAIChatGenerator(Secret.from_env_var("KEY"), "m", timeout=3, organization="o"))
    assert plain.identity == named.identity
    assert Generator(OpenAIChatGenerator(KEY, "n")).identity != plain.identity
