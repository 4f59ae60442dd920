from kernels.tool_calls.golden import calls, differences
from thresher.kernels.tool_calls.rule import CallRule


def test_the_definitions_are_those_of_an_independent_implementation():
    rules = {
        "matched_names": ("ignore", "any"),
        "matched_arguments": ("share", "any"),
        "ordered_arguments": ("share", "ordered"),
    }

    def compute(case, key):
        called, expected = calls(case["called"]), calls(case["expected"])
        arguments, order = rules.get(key, ("exact", "any"))
        matched = CallRule(arguments).matched(called, expected, order)
        sizes = {"precision": len(called), "f1": (len(called) + len(expected)) / 2}
        if key == "true_positives":
            return matched
        if key == "extra_calls":
            return len(called) - CallRule("ignore").matched(called, expected, "any")
        size = sizes.get(key, len(expected))
        return matched / size if size else None

    assert differences("tool_calls_definitions", compute) == []
