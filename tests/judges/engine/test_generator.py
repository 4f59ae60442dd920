import pytest
from haystack.components.generators.chat import (
    AzureOpenAIChatGenerator,
    FallbackChatGenerator,
    MockChatGenerator,
    OpenAIChatGenerator,
    OpenAIResponsesChatGenerator,
)
from haystack.utils import Secret

from thresher.errors import InputError
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


class RefusedError(Exception):
    def __init__(self, text, status=400):
        super().__init__(text)
        self.status_code = status


def adopted(**settings):
    return Generator(OpenAIChatGenerator(KEY, "m", generation_kwargs=settings))


@pytest.mark.parametrize("word", ["response_format", "Schema", "structured", "JSON"])
def test_forms_of_replies_are_left_out_one_by_one(word):
    generator, refused = adopted(), RefusedError(f"{word} is not supported")
    texts = [generator.adapt(refused, version) for version in range(3)]
    assert texts == [
        "asked without response_format json_schema, which the provider refused",
        "asked without response_format json_object, which the provider refused",
        None,
    ]
    assert generator.version == 2
    assert generator.adapt(refused, 1) == "", "another request has adapted since"


@pytest.mark.parametrize("name", ["temperature", "seed", "top_p", "logprobs"])
def test_settings_that_a_provider_refuses_are_left_out_once(name):
    generator = adopted(**{name: 1, "max_tokens": 5})
    text = f"asked without {name}, which the provider refused"
    assert generator.adapt(RefusedError(f"unsupported: {name}", 422), 0) == text
    assert generator._target.generation_kwargs == {"max_tokens": 5}
    assert generator.adapt(RefusedError(f"unsupported: {name}"), 1) is None
    assert adopted().adapt(RefusedError(f"unsupported: {name}"), 0) is None, "it was not sent"


@pytest.mark.parametrize(("text", "status"), [("json", 401), ("json", 500), ("max_tokens", 400)])
def test_other_refusals_change_nothing(text, status):
    generator = adopted(seed=1)
    assert generator.adapt(RefusedError(text, status), 0) is None
    assert generator.version == 0


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            OpenAIChatGenerator,
            "chat_generator is the class OpenAIChatGenerator; give a Haystack ChatGenerator",
        ),
        ("gpt", "chat_generator is str; give a Haystack ChatGenerator"),
    ],
)
def test_what_is_no_generator_is_named(source, message):
    with pytest.raises(InputError) as error:
        Generator(source)
    assert str(error.value) == message


def test_a_setting_that_was_sent_with_an_ask_is_left_out_once():
    generator = adopted()
    generator._sent.add("seed")
    assert (
        generator.adapt(RefusedError("unsupported: seed"), 0)
        == "asked without seed, which the provider refused"
    )
    assert generator.adapt(RefusedError("unsupported: seed"), 1) is None
