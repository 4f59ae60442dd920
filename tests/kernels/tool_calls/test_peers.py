from kernels.tool_calls.golden import calls, differences, messages
from thresher.kernels.tool_calls import agentevals, deepeval, ragas


def test_ragas_is_reproduced():
    def compute(case, key):
        called, expected = calls(case["called"]), calls(case["expected"])
        if key.endswith("f1"):
            return ragas.f1(called, expected)
        return ragas.accuracy(called, expected, strict_order=key.endswith("strict"))

    assert differences("tool_calls_ragas", compute) == []


def test_deepeval_is_reproduced():
    def tools(steps):
        outputs = [call.get("output") for step in steps for call in step]
        return list(map(deepeval.CalledTool, calls(steps), outputs))

    def compute(case, key):
        order, fields = key.removesuffix("_order").split(".")
        order, fields = order.removesuffix("_order"), fields.replace("_", "-")
        return deepeval.correctness(tools(case["called"]), tools(case["expected"]), order, fields)

    assert differences("tool_calls_deepeval", compute) == []


def test_agentevals_is_reproduced():
    def compute(case, key):
        mode, arguments = key.split(".")
        return agentevals.trajectory_match(
            messages(case["called"]), messages(case["expected"]), mode, arguments
        )

    assert differences("trajectories_agentevals", compute) == []
