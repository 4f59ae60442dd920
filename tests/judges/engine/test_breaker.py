"""When a judge counts as lost: by the order of requests and replies, whatever the clock says."""

import pytest

from thresher.judges.engine.account import Account
from thresher.judges.engine.breaker import FEWEST_AT_THE_END, FEWEST_TO_OPEN, Breaker, Breakers
from thresher.judges.engine.transport import Trouble

REFUSED = Trouble("connection refused: E: no", passing=True, unreachable=True)
UNWELL = Trouble("HTTP 500: E: unwell", passing=True, status=500)
TOO_FAST = Trouble("HTTP 429: E: slow down", passing=True, status=429)
REVOKED = Trouble("HTTP 401: E: no such key", passing=False, status=401)


@pytest.fixture
def account():
    return Account()


@pytest.fixture
def breaker(account):
    return Breaker(account)


def test_as_many_asks_in_a_row_as_fit_in_flight_open_it(breaker, account):
    for number in range(16):
        assert not breaker.refusal, number
        breaker.give_up(UNWELL, since=1.0, in_flight=16)
    assert breaker.refusal == "not asked, as the judge stopped answering: HTTP 500: E: unwell"
    breaker.drop()
    assert account.lost == {"HTTP 500 (E)": 17}


def test_eight_are_needed_at_least(breaker):
    for _ in range(FEWEST_TO_OPEN - 1):
        breaker.give_up(UNWELL, since=1.0, in_flight=1)
    assert not breaker.refusal
    breaker.give_up(UNWELL, since=1.0, in_flight=1)
    assert breaker.refusal


def test_an_ask_that_fails_while_others_are_answered_fails_alone(breaker, account):
    breaker.answered(sent=2.0)
    for _ in range(20):
        breaker.give_up(UNWELL, since=1.0, in_flight=1)
    breaker.conclude()
    assert (breaker.refusal, account.lost) == ("", {})


def test_an_answer_that_was_asked_for_before_the_failure_does_not_show_that_the_judge_lives(breaker, account):
    breaker.answered(sent=0.5)  # its reply came after the server had died for all others
    breaker.give_up(REFUSED, since=1.0, in_flight=16)
    assert account.lost == {"connection refused (E)": 1}


def test_a_few_failures_without_a_connection_are_lost_with_the_judge(breaker, account):
    breaker.give_up(REFUSED, since=1.0, in_flight=16)
    breaker.answered(sent=5.0)
    breaker.conclude()
    assert account.lost == {"connection refused (E)": 1}, "it was not about the item, so asking again helps"


@pytest.mark.parametrize("number", [1, FEWEST_AT_THE_END - 1, FEWEST_AT_THE_END])
def test_the_last_asks_are_lost_if_they_are_enough_to_say_so(breaker, account, number):
    for _ in range(number):
        breaker.give_up(UNWELL, since=1.0, in_flight=16)
    breaker.conclude()
    assert account.lost.total() == (number if number == FEWEST_AT_THE_END else 0)
    breaker.conclude()
    assert account.lost.total() == (number if number == FEWEST_AT_THE_END else 0), "counted once"


def test_a_judge_that_answers_again_is_asked_again_and_what_was_not_asked_stays_lost(breaker, account):
    for _ in range(FEWEST_TO_OPEN):
        breaker.give_up(UNWELL, since=1.0, in_flight=1)
    breaker.drop()
    breaker.answered(sent=0.5)
    assert breaker.refusal == ""
    breaker.give_up(UNWELL, since=2.0, in_flight=1)
    breaker.answered(sent=3.0)
    breaker.conclude()
    assert account.lost == {"HTTP 500 (E)": FEWEST_TO_OPEN + 1}


def test_a_limited_rate_never_opens_it(breaker, account):
    for _ in range(100):
        breaker.give_up(TOO_FAST, since=1.0, in_flight=1)
    assert breaker.refusal == ""
    assert account.lost == {"HTTP 429 (E)": 100}, "none of them is answered, and each may be later"


def test_a_limited_rate_beside_answers_loses_nothing(breaker, account):
    breaker.answered(sent=2.0)
    breaker.give_up(TOO_FAST, since=1.0, in_flight=1)
    assert not account.lost


def test_a_rejection_opens_it_for_good_and_answers_under_way_do_not_close_it(breaker, account):
    breaker.reject(REVOKED)
    breaker.answered(sent=0.5)
    breaker.drop()
    assert breaker.refusal == "HTTP 401: E: no such key"
    assert account.lost == {"HTTP 401 (E)": 2}


def test_an_answer_to_a_request_sent_as_the_ask_began_to_fail_is_no_sign_of_life(breaker, account):
    breaker.answered(sent=1.0)
    breaker.give_up(REFUSED, since=1.0, in_flight=16)
    assert account.lost == {"connection refused (E)": 1}


def test_a_new_breaker_is_closed_and_judges_are_asked_anew_by_default(breaker, account):
    assert (breaker.rejected, breaker.refusal) == (False, "")
    breakers = Breakers()
    breakers.of("one", account).reject(REVOKED)
    breakers.renew()
    assert not breakers.is_open


def test_each_judge_has_a_breaker_of_its_own(account):
    breakers = Breakers()
    breakers.of("one", account).reject(REVOKED)
    assert breakers.is_open
    assert not breakers.of("other", account).refusal
    assert breakers.of("one", account).refusal


@pytest.mark.parametrize("lasting", [True, False])
def test_a_rejected_judge_is_asked_anew_by_the_next_component_only_outside_of_asking(account, lasting):
    breakers = Breakers(lasting=lasting)
    breakers.of("one", account).reject(REVOKED)
    breakers.renew()
    assert bool(breakers.of("one", account).refusal) is lasting


def test_a_silent_judge_is_asked_anew_by_the_next_component_but_not_within_an_attempt(account):
    breakers = Breakers(lasting=True)
    with breakers.attempt():
        for _ in range(FEWEST_TO_OPEN):
            breakers.of("one", account).give_up(UNWELL, since=1.0, in_flight=1)
        breakers.renew()
        assert breakers.is_open
    breakers.renew()
    assert not breakers.is_open


def test_what_was_given_up_last_is_decided_before_a_judge_is_asked_anew(account):
    breakers = Breakers()
    for _ in range(FEWEST_AT_THE_END):
        breakers.of("one", account).give_up(UNWELL, since=1.0, in_flight=16)
    breakers.renew()
    assert account.lost.total() == FEWEST_AT_THE_END


def test_an_attempt_begins_with_all_judges(account):
    breakers = Breakers(lasting=True)
    breakers.of("one", account).reject(REVOKED)
    with breakers.attempt():
        assert not breakers.is_open


def test_an_answer_begins_the_row_anew(breaker):
    for start in (1.0, 3.0):
        for _ in range(FEWEST_TO_OPEN - 1):
            breaker.give_up(UNWELL, since=start, in_flight=1)
        assert not breaker.refusal, "one is lacking"
        breaker.answered(sent=start)
    for _ in range(FEWEST_TO_OPEN):
        breaker.give_up(UNWELL, since=5.0, in_flight=1)
    assert breaker.refusal
