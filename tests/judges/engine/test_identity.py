"""What identifies a generator: its model, its endpoint, its parameters and its client."""

import json
from types import SimpleNamespace

import pytest
from haystack.utils import Secret

from thresher.judges.engine.identity import (
    class_name,
    endpoint_of,
    generation_of,
    has_openai_client,
    model_of,
    parameters_of,
    transport_of,
)


class Source:
    def __init__(self, told):
        self.told = told

    def to_dict(self):
        return {"init_parameters": self.told}


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
    told = {"model": "m", "b": [1], "nothing": None, **dict.fromkeys((*transport, *azure), "x")}
    source = Source(told)
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
