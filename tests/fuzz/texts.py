"""Gate files, requirements, conditions, pipelines, judges and prices."""

from fuzz.inputs import changed, changed_json, changed_yaml
from fuzz.mutations import mutate_text
from fuzz.registry import fuzzer

GATES = [
    "exact_match >= 0.5",
    "token_f1[language=de] >= 70%",
    "no-regression within 0.02",
    "min(exact_match) >= 0",
]


@fuzzer("reports/gates/files.py")
def gate_file(folder):
    from thresher.reports.gates.files import read_gate_file

    data = {"require": GATES, "allow_missing": 0.1}
    toml = b'require = ["exact_match >= 0.5"]\nallow_missing = 0.1\n'

    def action(rng):
        if rng and rng.random() < 0.3:
            (folder / "g.toml").write_bytes(changed(rng, toml))
            return lambda: read_gate_file(folder / "g.toml")
        (folder / "g.yaml").write_bytes(changed_yaml(rng, data))
        return lambda: read_gate_file(folder / "g.yaml")

    return action


def results():
    from thresher import EvaluationResults

    inputs = {
        "id": list("abcd"),
        "language": ["de", "en", None, "de"],
        "n": [1, 2.5, None, 4],
        "texts": [["x"], [], None, ["y"]],
    }
    metrics = [
        {"name": "exact_match", "scores": [0.0, 1.0, 1.0, 0.0]},
        {"name": "token_f1", "scores": [0.5, 1.0, 1.0, 0.0]},
    ]
    return EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name="run")


@fuzzer("reports/slices/conditions.py", "files/expressions.py")
def condition(folder):
    from thresher.reports.slices.conditions import lacking, mask_of

    texts = [
        'language == "de" and n > 1',
        'language in ["de", "fr"] or not n',
        "len(texts) >= 1 and (texts is not None)",
        "1 < n <= 3 and id != 'a'",
    ]
    columns = {name: list(column) for name, column in results().inputs.items()}

    def action(rng):
        text = rng.choice(texts) if rng else texts[0]
        text = grown(rng, text)

        def read():
            mask = mask_of(text, columns, 4)
            assert mask.shape == lacking(text, columns, 4).shape == (4,)
            return mask

        return read

    return action


def grown(rng, text):
    """A mutated expression, or a much longer or deeper expression."""
    if rng is None:
        return text
    kind = rng.randrange(8)
    repeat = rng.choice((10, 300, 3000, 20_000))
    return {
        0: "not " * repeat + text,
        1: "(" * repeat + text + ")" * repeat,
        2: f"n == {'-' * repeat}1",
        3: " and ".join([text] * min(repeat, 3000)),
        4: f"n == {'9' * repeat}",
    }.get(kind, mutate_text(rng, text))


@fuzzer("reports/gates/grammar.py")
def requirement(folder):
    run = results()

    def action(rng):
        text = rng.choice(GATES) if rng else GATES[0]
        text = grown(rng, text)
        return lambda: run.gate([text], baseline=run).outcome

    return action


PIPELINE_DATA = {"question": ["who?"], "response": ["a cat"], "reference": ["a cat"]}


JUDGE = "thresher.components.judged.valor.coherence.ValorCoherenceEvaluator"


@fuzzer("pipelines/loading.py")
def pipeline(folder):
    import yaml

    from thresher import evaluate, load_pipeline
    from thresher.pipelines.library import recipe_text

    data = yaml.safe_load(recipe_text("qa"))
    judged = yaml.safe_load(recipe_text("summarization"))
    data.setdefault("max_runs_per_component", 100)

    def read():
        loaded = load_pipeline(folder / "p.yaml")
        if any("judge" in type(loaded.get_component(name)).__module__ for name in loaded.graph.nodes):
            return loaded
        evaluate(loaded, PIPELINE_DATA)
        return loaded

    def action(rng):
        chosen = judged if rng and rng.random() < 0.3 else data
        (folder / "p.yaml").write_bytes(changed_yaml(rng, chosen))
        return read

    return action


@fuzzer("components/judged/custom/custom_judge.py", "judges/template.py")
def custom_judge(folder):
    from thresher.components.judged.custom.custom_judge import CustomJudgeEvaluator

    data = {
        "name": "politeness",
        "template": "How polite? {{ predicted_answers }} {% if questions %}{{ questions }}{% endif %}",
        "reply": {"reason": "text", "score": {"low": 1, "high": 5}},
        "normalize": True,
        "direction": "higher",
    }

    def action(rng):
        (folder / "j.yaml").write_bytes(changed_yaml(rng, data))
        return lambda: CustomJudgeEvaluator.from_file(folder / "j.yaml")

    return action


@fuzzer("judges/settings.py")
def prices(folder):
    from thresher.judges.settings import Prices

    def action(rng):
        (folder / "p.json").write_bytes(
            changed_json(rng, {"m": {"in": 0.4, "out": 1.6}, "default": {"in": 1, "out": 2}})
        )
        text = "in=0.5,out=2" if rng is None else mutate_text(rng, "in=0.5,out=2")
        return lambda: Prices.parse(text if rng and rng.random() < 0.3 else str(folder / "p.json"))

    return action
