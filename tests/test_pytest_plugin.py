import subprocess
import sys

import pytest
import scipy.special  # noqa: F401  # pytester forgets what is first imported within, and numpy bears no second import

from thresher import EvaluationResults, save_run
from thresher.errors import InputError, RunDirectoryError
from thresher.pytest_plugin import InconclusiveWarning, assert_evaluation

pytest_plugins = ["pytester"]

TEST = """
    from thresher import EvaluationResults
    from thresher.pytest_plugin import assert_evaluation

    RUN = EvaluationResults.from_dict({
        "inputs": {"id": [f"q{item}" for item in range(100)]},
        "metrics": [{"name": "hit", "scores": [1] * 80 + [0] * 20}],
    }, name="main")

    def test_passes():
        assert assert_evaluation(RUN, "hit>=0.5", "coverage(hit)>=1").passed

    def test_fails():
        assert_evaluation(RUN, "hit>=0.95", "hit>=0.5")

    def test_is_open(assert_evaluation):
        assert_evaluation(RUN, "hit>=0.8")
"""


@pytest.fixture
def run():
    metrics = [{"name": "hit", "scores": [1] * 80 + [0] * 20}]
    return EvaluationResults.from_dict({"inputs": {"id": list(range(100))}, "metrics": metrics}, name="main")


def configured(pytester, *lines):
    """Configuration of its own, so that none is looked for above the folder."""
    pytester.makeini("\n".join(["[pytest]", *lines]))


def test_what_cannot_be_asked_is_one_line_without_the_way_to_it(pytester):
    configured(pytester)
    pytester.makepyfile(
        TEST
        + """
    def test_typo():
        assert_evaluation(RUN, "hot>=0.8")

    def test_nowhere():
        assert_evaluation("nowhere", "hit>=0.8")
    """
    )
    process = pytester.runpytest_inprocess("-k", "typo or nowhere")
    process.assert_outcomes(failed=2)
    shown = process.stdout.str()
    assert "no metric 'hot' in this run; there are hit" in shown
    assert "nowhere does not exist" in shown
    assert not any(file in shown for file in ("run_data.py", "checks.py", "pytest_plugin.py:", "manifest.py"))


def test_loading_the_plugin_imports_nothing_heavy():
    heavy = ["haystack", "numpy", "openai", "pandas", "pyarrow", "scipy", "thresher.reports", "yaml"]
    code = (
        "import sys; before = set(sys.modules); import thresher.pytest_plugin;"
        f"print([name for name in {heavy} if name in sys.modules and name not in before])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.slow
def test_pytest_finds_the_plugin_by_itself_and_it_says_nothing(pytester):
    configured(pytester)
    pytester.makepyfile("import sys\ndef test_nothing():\n    assert 'thresher.reports' not in sys.modules")
    process = pytester.runpytest_subprocess()
    process.assert_outcomes(passed=1)
    assert "valuation" not in process.stdout.str()


def test_what_is_inconclusive_fails_unless_configured(pytester):
    configured(pytester)
    pytester.makepyfile(TEST)
    process = pytester.runpytest_inprocess()
    process.assert_outcomes(passed=1, failed=2)
    process.stdout.fnmatch_lines(
        [
            "*AssertionError: Gate failed for main: 1 failed, 1 passed.",
            "*hit>=0.95 failed: hit is 0.800 (0.713 to 0.870) on 100 items: * below 0.95. [[]100/100 scored]",
            "*look at q80 (0)",
        ]
    )


@pytest.mark.parametrize(
    ("choice", "outcomes"),
    [
        ("skip", {"passed": 1, "failed": 1, "skipped": 1}),
        ("warn", {"passed": 2, "failed": 1, "warnings": 1}),
        ("pass", {"passed": 2, "failed": 1}),
    ],
)
def test_the_option_and_the_ini_value_say_what_is_done_about_it(pytester, choice, outcomes):
    pytester.makepyfile(TEST)
    configured(pytester)
    pytester.runpytest_inprocess("-Wdefault", f"--thresher-inconclusive={choice}").assert_outcomes(**outcomes)
    configured(pytester, f"thresher_inconclusive = {choice}")
    pytester.runpytest_inprocess("-Wdefault").assert_outcomes(**outcomes)


def test_an_unknown_ini_value_is_told(pytester):
    configured(pytester, "thresher_inconclusive = shrug")
    process = pytester.runpytest_inprocess()
    process.stderr.fnmatch_lines(
        ["*thresher_inconclusive='shrug' is unknown; choose one of fail, skip, warn, pass"]
    )


def test_a_choice_holds_for_one_assertion(run):
    with pytest.raises(AssertionError, match="Gate inconclusive for main"):
        assert_evaluation(run, "hit>=0.8")
    with pytest.raises(pytest.skip.Exception):
        assert_evaluation(run, "hit>=0.8", inconclusive="skip")
    with pytest.warns(InconclusiveWarning, match="hit>=0.8 inconclusive"):
        assert_evaluation(run, "hit>=0.8", inconclusive="warn")
    assert assert_evaluation(run, "hit>=0.8", inconclusive="pass").exit_code == 4
    with pytest.raises(InputError, match="inconclusive='shrug' is unknown"):
        assert_evaluation(run, "hit>=0.8", inconclusive="shrug")


def test_a_failure_is_a_failure_whatever_is_open(run):
    with pytest.raises(AssertionError, match="1 failed, 1 inconclusive"):
        assert_evaluation(run, "hit>=0.8", "hit>=0.95", inconclusive="pass")


def test_options_of_the_gate_and_a_baseline_are_passed_on(run):
    assert assert_evaluation(run, "no-regression", "hit>=0.8", baseline=run, decide_by="value").passed


def test_missing_scores_fail_the_test_unless_they_are_allowed():
    metrics = [{"name": "hit", "scores": [1] * 97 + [None] * 3}]
    gappy = EvaluationResults.from_dict({"inputs": {}, "metrics": metrics})
    with pytest.raises(AssertionError, match=r"lacks 3 of 100 scores .* \(allow_missing=0.03\)"):
        assert_evaluation(gappy, "hit>=0.8", inconclusive="pass")
    assert assert_evaluation(gappy, "hit>=0.8", allow_missing=0.03).passed


def test_runs_may_be_given_by_their_directories(run, tmp_path):
    save_run(run, tmp_path / "main")
    assert assert_evaluation(
        str(tmp_path / "main"), "no-regression within 0.05", baseline=tmp_path / "main"
    ).passed
    with pytest.raises(RunDirectoryError, match="nowhere does not exist"):
        assert_evaluation(tmp_path / "nowhere", "hit>=0.5")
    with pytest.raises(InputError, match="there are no results"):
        assert_evaluation(None, "hit>=0.5")
