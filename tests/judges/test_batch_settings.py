import pytest

from thresher.errors import InputError
from thresher.judges import BatchSettings


@pytest.mark.parametrize("name", ["first_poll", "last_poll", "quiet", "max_lines", "max_bytes", "max_tokens"])
def test_numbers_are_positive(name):
    with pytest.raises(InputError, match=f"{name}=0 must be a positive number"):
        BatchSettings(**{name: 0})


def test_no_later_round_may_be_sent_live():
    assert BatchSettings(live_below=0).live_below == 0
    with pytest.raises(InputError, match="live_below=-1"):
        BatchSettings(live_below=-1)


def test_pauses_grow_to_the_longest():
    assert [BatchSettings(first_poll=1, last_poll=3).pause(polls) for polls in range(5)] == [
        1,
        1.5,
        2.25,
        3,
        3,
    ]
    assert BatchSettings(first_poll=9, last_poll=3).pause(4) == 9
