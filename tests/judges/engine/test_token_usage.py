"""Token counts from the usage of providers."""

import pytest

from thresher.judges.engine.token_usage import token_counts

NAMES = ("prompt_tokens", "completion_tokens", "cached_tokens", "cache_write_tokens", "reasoning_tokens")


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 50}, (100, 50, 0, 0, 0)),
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 50,
                "prompt_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 20},
                "completion_tokens_details": {"reasoning_tokens": 40},
            },
            (100, 50, 64, 20, 40),
        ),
        (
            {
                "input_tokens": 100,
                "output_tokens": 50,
                "input_tokens_details": {"cached_tokens": 64},
                "output_tokens_details": {"reasoning_tokens": 40},
            },
            (100, 50, 64, 0, 40),
        ),
        (
            {
                "input_tokens": 10,
                "output_tokens": 50,
                "cache_read_input_tokens": 60,
                "cache_creation_input_tokens": 30,
            },
            (100, 50, 60, 30, 0),
        ),
        ({"input_tokens": 0, "output_tokens": 5, "cache_read_input_tokens": 60}, (60, 5, 60, 0, 0)),
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 50,
                "prompt_tokens_details": {"cached_tokens": 60},
                "cache_read_input_tokens": 60,
            },
            (100, 50, 60, 0, 0),
        ),
    ],
)
def test_shares_are_within_the_tokens_sent_and_received(usage, counts):
    assert tuple(token_counts(usage)[name] for name in NAMES) == counts


def test_counts_that_cannot_be_are_limited_or_ignored():
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 7},
        "completion_tokens_details": {"reasoning_tokens": 9},
    }
    assert tuple(token_counts(usage)[name] for name in NAMES) == (10, 5, 8, 2, 5)
    assert token_counts("7") == token_counts(None) == {}
    odd = {"prompt_tokens": -1, "completion_tokens": float("nan"), "prompt_tokens_details": [3]}
    assert set(token_counts(odd).values()) == {0}
