"""Which asks are the same: asked once, in flight and later."""

from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage

from judges.asked import EXPECTED, flow, flows, values
from thresher.judges import asking, drive
from thresher.results import Status


def test_equal_asks_are_asked_once_in_flight_and_later(server, judge):
    server.reset(base_ms=50)
    with asking() as account:
        outcomes = drive([flow() for _ in range(20)], judge())
        again = drive([flow()], judge())
    assert {outcome.value for outcome in [*outcomes, *again]} == {("text",)}
    assert (server.calls, account.calls, account.known) == (1, 1, 20)
    assert [outcome.replies[0].answer.cached for outcome in outcomes].count(False) == 1


def test_samples_are_asked_apart(server, judge):
    drive([flow(sample=sample) for sample in range(3)], judge())
    assert server.calls == 3


def test_parameters_of_generation_and_models_are_part_of_the_key_and_transport_is_not(server, judge):
    drive([flow()], judge())
    drive([flow()], judge(timeout=5.0, max_retries=1))
    assert server.calls == 1
    drive([flow()], judge(generation_kwargs={"temperature": 1}))
    drive([flow()], judge(model="other"))
    assert server.calls == 3


def test_without_a_cache_everything_is_asked(server, judge):
    with asking(cache=False):
        drive([flow()], judge())
        drive([flow()], judge())
    assert server.calls == 2


def test_a_cache_file_serves_the_next_session(server, judge, tmp_path):
    for calls in (10, 0):
        server.reset()
        with asking(cache=tmp_path / "answers.sqlite") as account:
            assert values(drive(flows(10), judge())) == EXPECTED[:10]
        assert (server.calls, account.known) == (calls, 10 - calls)


def test_generators_of_other_processes_objects_share_no_answers(server):
    first = MockChatGenerator(response_fn=lambda _: '{"claims": ["1"]}')
    second = MockChatGenerator(response_fn=lambda _: '{"claims": ["2"]}')
    assert values(drive([flow()], first)) + values(drive([flow()], second)) == [("1",), ("2",)]


def test_what_ended_unreadable_is_asked_again_next_time(server):
    class Learning:
        said = "no"

        def run(self, messages):  # noqa: ARG002
            return {"replies": [ChatMessage.from_assistant(self.said)]}

    one = Learning()
    assert drive([flow()], one)[0].status is Status.UNREADABLE
    one.said = '{"claims": ["now"]}'
    assert drive([flow()], one)[0].value == ("now",)


def test_what_could_be_read_is_kept_though_the_item_ended_unreadable(server):
    class Half:
        asked = 0

        def run(self, messages):
            self.asked += 1
            readable = "claims" in messages[-1].text and "first" in messages[-1].text
            return {"replies": [ChatMessage.from_assistant('{"claims": ["x"]}' if readable else "no")]}

    def both():
        yield from flow("first")
        yield from flow("second")

    one = Half()
    assert drive([both()], one)[0].status is Status.UNREADABLE
    first_time, one.asked = one.asked, 0
    drive([both()], one)
    assert one.asked == first_time - 1
