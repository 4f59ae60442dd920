import pytest
from haystack.components.generators.chat import MockChatGenerator
from haystack.components.generators.chat.openai import OpenAIChatGenerator

from thresher.errors import InputError
from thresher.judges import probe
from thresher.judges.panels.judge_panel import JudgePanel, extractor_of, judges_of


def judges(*names):
    return [MockChatGenerator("-", model=name) for name in names]


def test_settings_are_independent_of_the_order_of_the_judges():
    one, other = (JudgePanel(judges(*names), extractor="a") for names in ("abc", "cba"))
    assert one.settings() == other.settings()
    assert one.settings()["judge"] == ["a", "b", "c"]
    weighted = JudgePanel(judges("b", "a"), pool="weighted", weights=[2, 1], min_votes=1)
    assert weighted.settings()["judge"] == ["a*1", "b*2"]


def test_the_order_counts_where_the_first_judge_decides():
    one, other = (JudgePanel(judges(*names), extractor="a", ties="first") for names in ("ab", "ba"))
    assert one.settings() != other.settings()


def test_equal_models_are_numbered():
    assert JudgePanel(judges("a", "b", "a")).names == ["a (1)", "b", "a (2)"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"judges": judges("a")}, "at least two judges; given: 1"),
        ({"pool": "most"}, "pool='most' must be one of"),
        ({"ties": ""}, "ties='' must be one of undefined"),
        ({"min_votes": 4}, "min_votes=4 must be a whole number from 1 to 3"),
        ({"min_votes": True}, "min_votes=True"),
        ({"extractor": "d"}, "extractor='d' must be one of a, b, c"),
        ({"weights": [1, 1, 1]}, "no other rule uses them"),
        ({"pool": "weighted"}, "needs weights"),
        ({"pool": "weighted", "weights": [1, 1]}, r"must be 3 numbers"),
        ({"pool": "weighted", "weights": [0, 0, 0]}, "not all 0"),
        ({"pool": "weighted", "weights": [1, 1, float("nan")]}, "at least 0"),
    ],
)
def test_settings_that_do_not_fit(settings, message):
    with pytest.raises(InputError, match=message):
        JudgePanel(**({"judges": judges("a", "b", "c")} | settings))


def test_a_panel_is_stored_and_loaded(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    made = JudgePanel(
        [OpenAIChatGenerator(model="x"), OpenAIChatGenerator(model="y")],
        pool="weighted",
        weights=[2, 1],
        ties="no",
        min_votes=1,
        extractor="y",
    )
    loaded = JudgePanel.from_dict(made.to_dict())
    assert loaded.to_dict() == made.to_dict()
    assert loaded.settings() == made.settings()
    assert loaded.lead == 1


def test_judges_are_named_in_files_too():
    panel = JudgePanel.from_dict({"init_parameters": {"judges": ["x", "y"], "pool": "median"}})
    assert panel.names == ["x", "y"]
    assert panel.pool == "median"


def test_a_list_is_a_panel():
    several = judges("a", "b")
    assert JudgePanel.of(several).names == ["a", "b"]
    assert JudgePanel.of(several[0]) is None
    assert judges_of(several) == several
    assert judges_of(several[0]) == several[:1]


def test_the_extractor_is_the_named_judge():
    several = judges("a", "b")
    assert extractor_of(JudgePanel(several, extractor="b")) is several[1]
    assert extractor_of(several) is several[0]
    assert extractor_of(several[0]) is several[0]


def test_a_probe_refuses_a_panel():
    with pytest.raises(InputError, match="a probe tests one judge"):
        probe(judges("a", "b"))
