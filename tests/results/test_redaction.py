"""Redaction: which names and texts are credentials, what takes their place, and what stays."""

import hashlib

import pytest

from thresher.known_secrets import without_secrets
from thresher.results import Signature
from thresher.results.credential_names import is_credential
from thresher.results.redaction import (
    fingerprint,
    redacted,
    redacted_message,
    redacted_place,
    redacted_strings,
)

CREDENTIALS = [
    "Authorization",
    "Proxy-Authorization",
    "cf-aig-authorization",
    "x-api-key",
    "X_APIKey",
    "apikey",
    "api_key",
    "openaiApiKey",
    "key",
    "keys",
    "Ocp-Apim-Subscription-Key",
    "subscriptionkey",
    "access_token",
    "accessToken",
    "sessiontoken",
    "X-Auth-Token",
    "token",
    "client_secret",
    "SECRETS",
    "password",
    "db_passwd",
    "passphrase",
    "Cookie",
    "set-cookie",
    "auth",
    "credentials",
]
OTHERS = [
    "max_tokens",
    "max_completion_tokens",
    "token_count",
    "num_tokens",
    "budget_tokens",
    "prompt_tokens",
    "eos_token",
    "stop_token_ids",
    "max_context_tokens",
    "tokenizer",
    "keyword",
    "label_key",
    "prompt_cache_key",
    "author",
    "api_key_env",
    "judge_key_variable",
    "temperature",
    "model",
    "seed",
    "X-Title",
    "HTTP-Referer",
    "name",
    "monkey",
]


def mark(text):
    return f"<redacted:{hashlib.sha256(text.encode()).hexdigest()[:4]}>"


@pytest.mark.parametrize("name", CREDENTIALS)
def test_these_names_are_credentials(name):
    assert is_credential(name)
    assert redacted({"extra_headers": {name: "abc"}}) == {"extra_headers": {name: mark("abc")}}


@pytest.mark.parametrize("name", OTHERS)
def test_these_names_are_not(name):
    assert not is_credential(name)
    assert redacted({name: "abc"}) == {name: "abc"}


def test_data_without_credentials_stay_the_same_object():
    plain = {
        "a": [1, (2.5, None, True)],
        "u": "http://h:80/v1/@x",
        "s": "a b",
        "d": {"max_tokens": 7, 1: b"x"},
    }
    assert redacted(plain) is plain


def test_every_depth_and_form_is_redacted():
    given = {
        "extra_body": {"gateway": [{"auth": {"user": "u1", "pin": 1234}}, {"token": "t1", "tokens": 12}]},
        "extra_query": {"code": "q1"},
        "headers": [("Cookie", "c1"), ("X-Title", "mine")],
        "raw": [[b"x-api-key", b"b1"]],
        "cookies": ["c2"],
        "X-Any": "Bearer b2",
        "other": "sk-abcdefgh",
        "api_key": {"type": "env_var", "env_vars": ["OPENAI_API_KEY"], "strict": True},
        "password": None,
        "keys": True,
    }
    assert redacted(given) == {
        "extra_body": {
            "gateway": [
                {"auth": {"user": mark("u1"), "pin": mark("1234")}},
                {"token": mark("t1"), "tokens": 12},
            ]
        },
        "extra_query": {"code": mark("q1")},
        "headers": [("Cookie", mark("c1")), ("X-Title", "mine")],
        "raw": [[b"x-api-key", mark("b'b1'")]],
        "cookies": [mark("c2")],
        "X-Any": mark("Bearer b2"),
        "other": mark("sk-abcdefgh"),
        "api_key": given["api_key"],
        "password": None,
        "keys": True,
    }


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://u:p@h/v1", f"http://{mark('u:p')}@h/v1"),
        ("https://TOKEN@h:8000/v1", f"https://{mark('TOKEN')}@h:8000/v1"),
        ("http://u:p@w@h/v1", f"http://{mark('u:p@w')}@h/v1"),
        ("http://u:p/w@h/v1", f"http://{mark('u:p/w')}@h/v1"),
        (
            "http://h/v1?key=a&v=1&b#t=c",
            f"http://h/v1?key={mark('a')}&v={mark('1')}&{mark('b')}#t={mark('c')}",
        ),
        ("http://h:8000/v1/@scope/x", "http://h:8000/v1/@scope/x"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("http://h?empty=", "http://h?empty="),
    ],
)
def test_urls(url, shown):
    assert redacted(url) == redacted(shown) == shown
    assert redacted_strings([url]) == [shown]
    assert redacted_message(f"cannot reach {url}, sorry") == f"cannot reach {shown}, sorry"


def test_a_url_without_a_scheme_is_known_by_its_name():
    assert redacted({"api_base_url": "u:p@h/v1"}) == {"api_base_url": f"{mark('u:p')}@h/v1"}
    assert redacted({"contact": "user@example.org"}) == {"contact": "user@example.org"}


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("v1/PathTokenCanary99xyz", f"v1/{mark('PathTokenCanary99xyz')}"),
        (
            "3f2a9b8c7d6e5f4a3b2c1d0e/openai?code=a",
            f"{mark('3f2a9b8c7d6e5f4a3b2c1d0e')}/openai?code={mark('a')}",
        ),
        ("openai/deployments/gpt-4o-mini-2024-07-18/chat/completions", None),
        ("v1/projects/my-project-123456/locations/us-central1/endpoints/openapi", None),
        ("model/anthropic.claude-3-5-sonnet-20240620-v1:0/invoke", None),
        ("api/v1/Meta-Llama-3.1-8B-Instruct/", None),
    ],
)
@pytest.mark.parametrize("place", ["https://h:8000", "h"])
def test_segments_of_paths_that_are_not_words_are_keys(path, shown, place):
    assert redacted({"api_base_url": f"{place}/{path}"}) == {"api_base_url": f"{place}/{shown or path}"}
    assert redacted("s3://bucket/Run2026Final99x") == "s3://bucket/Run2026Final99x"


def test_a_key_in_the_place_of_the_name_of_its_variable(monkeypatch):
    monkeypatch.setenv("own_variable", "x")
    names = ["MY_KEY", "own_variable", "abcKEY12345xyz", "AKIAZQ77MISTAKEN"]
    secret = {"type": "env_var", "env_vars": names, "strict": True}
    assert redacted({"api_key": secret})["api_key"] == {
        **secret,
        "env_vars": ["MY_KEY", "own_variable", mark(names[2]), mark(names[3])],
    }
    assert redacted({"api_key": {**secret, "env_vars": names[:2]}})["api_key"]["env_vars"] == names[:2]


def test_prose_keeps_the_query_of_a_url_and_loses_user_information():
    prose = "see http://h/?page=2&key=k1 and http://u:p@h/x"
    assert redacted(prose) == f"see http://h/?page=2&key={mark('k1')} and http://{mark('u:p')}@h/x"


def test_a_message_that_echoes_a_key():
    message = redacted_message("HTTP 401: Incorrect key: Bearer abc.def-12; also sk-1234567890.")
    assert message == f"HTTP 401: Incorrect key: Bearer {mark('abc.def-12')}; also {mark('sk-1234567890')}."


def test_a_long_word_is_read_in_linear_time():
    word = "a" * 300_000
    assert redacted(f"x {word}") == f"x {word}"
    assert redacted_message(word) == word


@pytest.mark.parametrize(
    ("name", "value", "removed"),
    [
        ("key", "statements", False),
        ("token", "statement", False),
        ("key", "s3cr3t-0001", True),
        ("password", "swordfish", True),
        ("api_key", "swordfish", True),
    ],
)
def test_values_of_credentials_are_removed_and_words_under_key_are_not(name, value, removed):
    assert redacted({name: value})[name] == mark(value)
    assert (without_secrets(value) != value) == removed


def test_the_fingerprint_is_short_stable_and_follows_the_value():
    assert fingerprint("one") == mark("one") != fingerprint("two")
    assert fingerprint(fingerprint("one")) == fingerprint("one")


def test_the_place_of_a_fingerprint():
    stored = redacted({"a": [{"extra_headers": {"Authorization": "x"}}], "b": 1})
    assert redacted_place(stored) == "a.0.extra_headers.Authorization"
    assert redacted_place({"u": redacted("http://u:p@h")}, "of") == "of.u"
    assert redacted_place({"a": "x", "prose": "a log with <redacted:3f9a> in it", "n": [1]}) is None


def test_signatures_have_fingerprints_and_change_with_the_credential():
    first, second = (Signature.of("m", {"api_key": key, "n": 1, "at": "http://h"}) for key in ("k1", "k2"))
    assert str(first) == f"m|api_key:{mark('k1')}|n:1|at:http://h|version:1"
    assert set(first.differences(second)) == {"api_key"}
