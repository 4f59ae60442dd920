import pytest

from thresher.results.reasons import not_asked, short_cause

GONE = "connection refused: APIConnectionError: Connection error."


CAUSES = {
    f"valor/faithfulness: {GONE}, after 6 tries": "connection refused (APIConnectionError)",
    f"ragas/noise/one: {not_asked(GONE)}": "connection refused (APIConnectionError)",
    "own/claims: HTTP 500: InternalServerError: oops, after 6 tries": "HTTP 500 (InternalServerError)",
    "HTTP 429, quota used up: RateLimitError: pay": "HTTP 429, quota used up (RateLimitError)",
    "own/claims: no answer within 2 s, after 6 tries": "no answer within 2 s",
    "own/claims: the reply cannot be read: empty, after 5 requests": "the reply cannot be read: empty",
    "own/claims: not asked: the budget of 10 calls is spent": "not asked: the budget of 10 calls is spent",
    "ValueError: bad prompt": "ValueError: bad prompt",
    "": "",
}


@pytest.mark.parametrize("reason", CAUSES)
def test_the_cause_is_what_is_left_without_prompt_tries_and_message(reason):
    assert short_cause(reason) == CAUSES[reason]
