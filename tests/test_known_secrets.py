import base64
import html
import json
import threading
from urllib.parse import quote, quote_plus

import pytest

from thresher.known_secrets import (
    fingerprint,
    remember,
    remember_likely,
    remember_named,
    scrub,
    without_respelled_secrets,
    without_secrets,
    without_secrets_in,
    without_spelled_secrets,
)

KEY = 'sk-K3y"/+ <é>&\\end'
WRITTEN = (
    KEY,
    json.dumps(KEY),
    json.dumps(json.dumps(KEY)),
    json.dumps(KEY, ensure_ascii=False),
    quote(KEY),
    quote(KEY, safe=""),
    quote_plus(KEY),
    html.escape(KEY),
    repr(KEY),
    KEY.encode().hex(),
    KEY.encode().hex().upper(),
)


@pytest.mark.parametrize("text", WRITTEN)
def test_a_secret_is_removed_however_it_is_written(text):
    remember(KEY)
    clean = without_secrets(f"a {text} b")
    assert fingerprint(KEY) in clean
    assert "K3y" not in clean
    assert clean.startswith("a ")
    assert clean.endswith(" b")


def in_hex(key, sign):
    return key.encode().hex(sign)


CHANGES = [
    *(str.lower, str.upper, "\n".join, "  ".join, "-".join, " . ".join, "_".join, "\\u200b|".join),
    *(lambda key: in_hex(key, ":"), lambda key: in_hex(key, " ").upper(), lambda key: in_hex(key, "\n")),
    *(lambda key: ", 0x".join(in_hex(key, " ").split()), lambda key: ", ".join(map(str, key.encode()))),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_message_that_changes_the_letters_or_lines_of_a_key_loses_it(change):
    remember("Zx9-Marker-77Qw")
    echo = change("Zx9-Marker-77Qw")
    assert without_respelled_secrets(f"key {echo}.") == f"key {fingerprint('Zx9-Marker-77Qw')}."
    assert without_secrets_in([{f"{json.dumps(echo)}": (1, None)}]) == [
        {f'"{fingerprint("Zx9-Marker-77Qw")}"': (1, None)}
    ]
    error = ValueError(f"key {echo}.")
    scrub(error)
    assert str(error) == f"key {fingerprint('Zx9-Marker-77Qw')}."


@pytest.mark.parametrize("filler", ["&#45;", "%2d;", "-", "\\n", "0x", "-0x", "\\u002d;"])
def test_texts_that_almost_spell_a_key_take_no_longer(filler):
    remember("Zx9-/Marker-77Qw")
    text = f"Zx9{filler * 5000} Zx9Marker77Qw".lower()
    assert without_respelled_secrets(text).endswith(" " + fingerprint("Zx9-/Marker-77Qw"))


def test_pieces_that_spell_a_key_are_removed_and_no_others():
    key = "Zx9-Marker-77Qw"
    remember(key)
    pieces = [key[at : at + 3] for at in range(0, len(key), 3)]
    data = {
        "chunks": [{"delta": {"text": piece}} for piece in pieces],
        "raw": [list(piece.encode()) for piece in pieces],
        "all": list(key.encode()),
        "texts": [*pieces[:-1], "other"],
        "numbers": [1, 300],
    }
    without_spelled_secrets(data)
    none = [{"delta": {"text": ""}} for _ in pieces[1:]]
    assert data["chunks"] == [{"delta": {"text": fingerprint(key)}}, *none]
    assert data["raw"] == [[] for _ in pieces]
    assert data["all"] == []
    assert (data["texts"], data["numbers"]) == ([*pieces[:-1], "other"], [1, 300])


def test_messages_keep_words_that_differ_from_a_secret_only_in_spaces():
    remember("correcthorse")
    assert without_respelled_secrets("a Correct horse") == "a Correct horse"


@pytest.mark.parametrize("user", ["", "u:", "us:", "user:"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_secret_in_base64_is_removed_behind_any_user(user, encode):
    remember("hunter2-and-more")
    text = encode(f"{user}hunter2-and-more".encode()).decode()
    before, mark, after = without_secrets(f"Basic {text}").partition("<redacted:")
    assert mark
    assert len(before) <= len("Basic ") + len(text) - 16
    assert len(after.partition(">")[2]) <= 4


def test_what_follows_a_scheme_is_a_secret_too():
    remember("Bearer key-0001-abc")
    assert without_secrets("key-0001-abc") == fingerprint("key-0001-abc")
    remember(f"Basic {base64.b64encode(b'me:pass-0002').decode()}")
    assert without_secrets("pass-0002") == fingerprint("pass-0002")


@pytest.mark.parametrize(
    "value",
    [
        *("", "abc", "secret", "Secret", "SECRET", "ollama", "not-needed", "password", "Whatever"),
        *("123456", "000000", "xxxxxxxx", "3333333333", "<redacted:3f9a>"),
    ],
)
def test_words_and_placeholders_are_not_secrets(value):
    remember(value)
    assert without_secrets(f"x {value} y") == f"x {value} y"


@pytest.mark.parametrize(
    ("value", "secret"),
    [
        ("2024-02-01-preview", False),
        ("production", False),
        ("v2", False),
        ("tok3n-abc-def", True),
        ("aBcDeFgHi", True),
    ],
)
def test_values_of_queries_are_secrets_unless_they_look_like_words_or_versions(value, secret):
    remember_likely(value)
    assert (without_secrets(value) != value) == secret


@pytest.mark.parametrize("value", [', "reason": "It has ', ' parts."}', "a; b", "the word, 2024-02-01"])
def test_pieces_of_a_reply_are_not_secrets(value):
    remember_named(value)
    assert without_secrets(f"x{value}y") == f"x{value}y"


def test_values_of_cookies_are_secrets():
    remember_named("theme=dark; session=s3cr3t-0001")
    assert without_secrets("s3cr3t-0001 dark") == f"{fingerprint('s3cr3t-0001')} dark"


def test_causes_of_an_error_are_scrubbed():
    remember("key-0003-abc")
    error = RuntimeError("key-0003-abc", 7)
    error.__cause__ = ValueError("the header key-0003-abc is illegal")
    scrub(error)
    assert error.args == (fingerprint("key-0003-abc"), 7)
    assert str(error.__cause__) == f"the header {fingerprint('key-0003-abc')} is illegal"


def test_an_exception_that_cannot_be_changed_stays_as_it_is():
    remember("key-0004-abc")

    class FrozenError(ValueError):
        def __setattr__(self, name, value):
            if name == "args":
                raise TypeError("frozen")
            super().__setattr__(name, value)

    error = RuntimeError("key-0004-abc")
    error.__cause__ = FrozenError("key-0004-abc")
    error.__cause__.__cause__ = ValueError("key-0004-abc")
    scrub(error)
    assert str(error) == str(error.__cause__.__cause__) == fingerprint("key-0004-abc")
    assert str(error.__cause__) == "key-0004-abc"


def test_threads_remember_at_the_same_time():
    secrets = [f"key-{number:04}-abc" for number in range(100)]
    threads = [
        threading.Thread(target=lambda own=part: [remember(secret) for secret in own])
        for part in (secrets[::2], secrets[1::2])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not any(secret in without_secrets(" ".join(secrets)) for secret in secrets)
