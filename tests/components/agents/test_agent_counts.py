from thresher.components.agents import AgentCountsEvaluator, AgentTokensEvaluator


def values(result):
    return {measure.signature.metric: result.value(measure.signature.metric) for measure in result.measures}


CALL = {"id": "1", "function": {"name": "f", "arguments": '{"a": 1}'}}
BROKEN = {"id": "2", "function": {"name": "f", "arguments": "{"}}


def test_steps_calls_and_failures_are_counted():
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "1", "content": "timeout", "status": "error"},
        {"role": "assistant", "tool_calls": [CALL, BROKEN]},
        {"role": "assistant", "content": "done"},
    ]
    result = AgentCountsEvaluator().run(conversations=[messages, None])["result"]
    assert values(result) == {
        "agent_counts_steps": 3,
        "agent_counts_calls": 3,
        "agent_counts_failed_calls": 2,
        "agent_counts_repeated_calls": 1,
        "agent_counts_calls_after_error": 2,
    }
    assert result.reasons == {1: "no entry in conversations"}


def test_a_conversation_without_calls_counts_zero():
    assert set(values(AgentCountsEvaluator().run(conversations=[[]])["result"]).values()) == {0.0}


def test_only_the_last_turn_counts_if_asked_for():
    messages = [
        {"role": "assistant", "content": "a"},
        {"role": "user", "content": "b"},
        {"role": "ai", "content": "c"},
    ]
    assert AgentCountsEvaluator(turns="last").run(conversations=[messages])["score"] == 1.0


def test_tokens_of_all_replies_add_up_and_an_unknown_number_is_missing():
    def reply(**usage):
        return {"role": "assistant", "content": "a", "usage": usage}

    first, second = reply(prompt_tokens=10, completion_tokens=2), reply(input_tokens=30, output_tokens=4)
    chats = [
        [first, second],
        [first, {"role": "assistant", "content": "a"}],
        [{"role": "user", "content": "a"}],
    ]
    result = AgentTokensEvaluator().run(conversations=chats)["result"]
    assert values(result) == {"agent_tokens": 46, "agent_tokens_input": 40, "agent_tokens_output": 6}
    assert result.reasons == dict.fromkeys((1, 2), "a reply does not state its tokens")
