"""What identifies a generator: its model, its endpoint, its parameters and its client."""

import json
from types import SimpleNamespace

import pytest
from haystack.components.generators.chat import (
    FallbackChatGenerator,
    MockChatGenerator,
    OpenAIChatGenerator,
)
from haystack.utils import Secret

from thresher.judges.engine.identity import (
    class_name,
    endpoint_of,
    generation_of,
    has_openai_client,
    model_of,
    parameters_of,
    redacted_setting,
    speaks_openai,
    transport_of,
    without_own_retries,
)


class Source:
    def __init__(self, parameters):
        self.parameters = parameters

    def to_dict(self):
        return {"init_parameters": self.parameters}


def named(**attributes):
    return SimpleNamespace(**attributes)


def test_the_model_and_the_endpoint():
    assert model_of(named(model="a", model_name="b", azure_deployment="c")) == "a"
    assert model_of(named(model="", model_name="b", azure_deployment="c")) == "b"
    assert model_of(named(model=3, azure_deployment="c")) == "c"
    assert model_of(named()) == "SimpleNamespace"
    assert endpoint_of(named(api_base_url="u", azure_endpoint="v", url="w")) == "u"
    assert endpoint_of(named(api_base_url=None, azure_endpoint="v", url="w")) == "v"
    assert endpoint_of(named(url="w")) == "w"
    assert endpoint_of(named()) == class_name(named()) == "types.SimpleNamespace"


def test_generation_settings():
    assert generation_of(named(generation_kwargs={"seed": 1})) == {"seed": 1}
    assert generation_of(named(generation_kwargs=None)) == generation_of(named()) == {}


def test_parameters_without_what_carries_them():
    transport = (
        "api_key",
        "organization",
        "timeout",
        "max_retries",
        "http_client_kwargs",
        "streaming_callback",
    )
    azure = ("azure_ad_token", "azure_ad_token_provider", "default_headers")
    parameters = {"model": "m", "b": [1], "nothing": None, **dict.fromkeys((*transport, *azure), "x")}
    source = Source(parameters)
    assert json.loads(parameters_of(source)) == [class_name(source), {"b": [1], "model": "m"}]
    assert parameters_of(Source({"b": 1, "a": 2})) == parameters_of(Source({"a": 2, "b": 1}))
    assert (
        parameters_of(Source({})) is parameters_of(Source({"a": object()})) is parameters_of(named()) is None
    )


NAMES = ("client", "async_client", "max_retries", "timeout", "warm_up_async", "close_async")


@pytest.mark.parametrize("missing", [None, *NAMES])
def test_openais_client_is_known_by_all_that_it_needs(missing):
    source = named(**{name: None for name in NAMES if name != missing})
    assert has_openai_client(source) is (missing is None)


def test_generators_share_a_client_if_key_and_connection_are_the_same():
    key = Secret.from_token("k")
    plain = named(
        api_key=key, organization="o", timeout=1, max_retries=2, http_client_kwargs={"verify": False}
    )
    assert transport_of(plain) == transport_of(named(**vars(plain), model="other"))
    for change in (
        {"api_key": Secret.from_token("l")},
        {"organization": "p"},
        {"timeout": 2},
        {"max_retries": 3},
        {"http_client_kwargs": {}},
    ):
        assert transport_of(named(**{**vars(plain), **change})) != transport_of(plain)
    unset = named(api_key=Secret.from_env_var("A_KEY_THAT_IS_NOT_SET"))
    assert transport_of(unset) == transport_of(named(api_key=None)) == transport_of(named())


KEY = Secret.from_token("k")
REDACTED = "<redacted:3f9a>"


def test_a_redacted_parameter_is_found_in_a_generator_and_in_those_that_it_tries():
    source = OpenAIChatGenerator(KEY, "m", organization=REDACTED)
    assert redacted_setting(source) == "organization"
    assert redacted_setting(FallbackChatGenerator([MockChatGenerator("x"), source])) == "organization"
    assert redacted_setting(OpenAIChatGenerator(KEY, "m")) is None


def test_only_parameters_are_searched_for_redacted_settings():
    source = Source({})
    source.note = REDACTED
    assert redacted_setting(source) is None
    source.parameters = REDACTED
    assert redacted_setting(source) == "parameters"
    source.parameters, source.chat_generators = "", "no list"
    assert redacted_setting(source) is None


def test_an_object_without_a_dict_has_no_redacted_setting():
    class Slotted:
        __slots__ = ("url",)

    assert redacted_setting(Slotted()) is None


def test_a_fallback_is_known_by_the_generators_that_it_tries():
    first, second = (FallbackChatGenerator([MockChatGenerator(reply)]) for reply in "xy")
    assert None is not parameters_of(first) != parameters_of(second)


def test_parameters_that_a_generator_does_not_hold_cannot_be_reported():
    class Client:
        client = async_client = max_retries = timeout = warm_up_async = close_async = None

        def __init__(self, model, dropped=None):  # noqa: ARG002
            self.model = model

        def to_dict(self):
            raise ValueError("a key given as a token")

    assert parameters_of(Client("m")) is None
    Client.dropped = 3
    assert json.loads(parameters_of(Client("m"))) == [class_name(Client("m")), {"dropped": 3, "model": "m"}]


def test_what_speaks_openai_is_derived_from_its_generator_or_says_so():
    assert speaks_openai(OpenAIChatGenerator(KEY)) is True
    assert speaks_openai(named(speaks_openai=1)) is True
    assert speaks_openai(named(speaks_openai=0)) is False
    assert speaks_openai(named()) is False


def test_the_copy_has_no_client_and_neither_retries_nor_times_out():
    source = OpenAIChatGenerator(KEY, "m")
    source.client = source.async_client = "built"
    copied = without_own_retries(source)
    assert (copied.client, copied.async_client, copied.max_retries, copied.timeout) == (
        None,
        None,
        0,
        86_400.0,
    )
    assert copied.api_key is KEY
    assert without_own_retries(named()) is None
    assert without_own_retries(named(chat_generators="no list")) is None


@pytest.mark.parametrize(
    ("key", "url", "sent"),
    [
        (Secret.from_env_var("A_KEY_THAT_IS_NOT_SET", strict=False), "http://here", "none"),
        (None, "http://here", "none"),  # `api_key: null` in a pipeline file for a local server
        (Secret.from_env_var("A_KEY_THAT_IS_NOT_SET", strict=False), None, None),
        (KEY, "http://here", "k"),
    ],
)
def test_a_key_that_is_optional_and_missing_is_sent_as_some_key_to_an_address(key, url, sent):
    source = named(**dict.fromkeys(NAMES), api_key=key, api_base_url=url)
    assert without_own_retries(source).api_key.resolve_value() == sent


def test_a_key_that_is_required_and_missing_is_left_to_the_client():
    key = Secret.from_env_var("A_KEY_THAT_IS_NOT_SET")
    source = named(**dict.fromkeys(NAMES), api_key=key, api_base_url="http://here")
    assert without_own_retries(source).api_key is key
    bare = named(**dict.fromkeys(NAMES), api_base_url="http://here")
    assert not hasattr(without_own_retries(bare), "api_key")
    assert without_own_retries(named(**dict.fromkeys(NAMES), api_key=key)).api_key is key
