"""Generators of all sorts: that only block, hang, raise, or say nothing."""

import gc
import threading
import time
import weakref

import pytest
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage

from judges.asked import flow, flows, values
from thresher.judges import Limits, asking, drive
from thresher.results import Status


class Threaded:
    """A generator that can only block."""

    def __init__(self, seconds=0.02, fails=0):
        self.seconds, self.fails = seconds, fails
        self.calls = self.busy = self.most = 0
        self.lock = threading.Lock()

    def run(self, messages):  # noqa: ARG002
        with self.lock:
            self.calls += 1
            self.busy += 1
            self.most = max(self.most, self.busy)
            number = self.calls
        time.sleep(self.seconds if number > 1 or not self.fails else self.fails)
        with self.lock:
            self.busy -= 1
        return {"replies": [ChatMessage.from_assistant('{"claims": ["x"]}')]}


def test_generators_that_only_block_are_called_in_threads_and_bounded(server):
    one = Threaded()
    with asking(limits=Limits(max_concurrency=5)):
        outcomes = drive(flows(30), one)
    assert values(outcomes) == [("x",)] * 30
    assert one.most == 5


def test_a_thread_that_hangs_keeps_its_slot_but_holds_up_nobody_else(server):
    one = Threaded(seconds=0.01, fails=1.0)
    start = time.perf_counter()
    with asking(limits=Limits(max_concurrency=3, timeout=0.3)):
        outcomes = drive(flows(10), one)
    assert values(outcomes) == [("x",)] * 10
    assert time.perf_counter() - start < 30, "ten hangs one after the other, or one to its end, take longer"
    assert one.most <= 3


def test_a_generator_may_say_how_much_it_takes(server):
    class Small(Threaded):
        max_concurrency = 2

    one = Small()
    drive(flows(8), one)
    assert one.most == 2


def test_what_a_generator_raises_costs_its_flow_alone(server):
    def reply(messages):
        if "text 3." in messages[-1].text:
            raise RuntimeError("cannot\ndo this")
        return '{"claims": ["x"]}'

    outcomes = drive(flows(6), MockChatGenerator(response_fn=reply))
    assert values(outcomes) == [("x",)] * 3 + [None] + [("x",)] * 2
    assert outcomes[3].reason == "own/claims: RuntimeError: cannot do this"


@pytest.mark.parametrize("said", [{}, {"replies": []}, None])
def test_no_reply_at_all_is_an_empty_one(server, said):
    class Silent:
        def run(self, messages):  # noqa: ARG002
            return said

    (outcome,) = drive([flow()], Silent())
    assert (outcome.status, "it is empty" in outcome.reason) == (Status.UNREADABLE, True)


def test_the_user_s_generator_is_left_as_it_was(server, judge):
    one = judge(max_retries=3, timeout=9.0)
    drive([flow()], one)
    assert (one.client, one.async_client, one.max_retries, one.timeout) == (None, None, 3, 9.0)


def test_objects_that_are_gone_are_not_kept(server):
    one = Threaded(seconds=0)
    drive([flow()], one)
    gone = weakref.ref(one)
    del one
    end = time.monotonic() + 5
    while gone() is not None and time.monotonic() < end:  # the engine's thread may still be leaving its walk
        gc.collect()
        time.sleep(0.001)
    assert gone() is None
