"""Experiment files, what varies, the documents of an index, and origins of exported items."""

from fuzz.inputs import changed, changed_json, changed_lines, changed_yaml
from fuzz.mutations import mutate_text
from fuzz.registry import fuzzer

EXPERIMENT = {
    "pipeline": "rag.yaml",
    "questions": "q.jsonl",
    "vary": {"retriever.top_k": [1, 3], "prompt.template": ["@a.txt", "@@b"]},
    "exclude": ["retriever.top_k < 2"],
    "metrics": ["token_f1"],
    "repeats": 2,
    "max_cost": 1.5,
}
PIPELINE = {
    "components": {
        "builder": {
            "type": "haystack.components.builders.prompt_builder.PromptBuilder",
            "init_parameters": {"template": "{{ query }}"},
        }
    },
    "connections": [],
}


@fuzzer("pipelines/experiments/experiment_file.py", "pipelines/experiments/sources.py")
def experiment_file(folder):
    from thresher.pipelines.experiments.experiment_file import is_experiment_file, read_experiment_file
    from thresher.pipelines.experiments.sources import pipeline_source

    def read(path):
        return is_experiment_file(str(path)) and read_experiment_file(str(path))

    def action(rng):
        if rng and rng.random() < 0.5:
            (folder / "p.yaml").write_bytes(changed_yaml(rng, PIPELINE))
            return lambda: pipeline_source(folder / "p.yaml").edit({"builder.template": "x"})
        (folder / "e.yaml").write_bytes(changed_yaml(rng, EXPERIMENT))
        return lambda: read(folder / "e.yaml")

    return action


@fuzzer("pipelines/experiments/grid.py", "pipelines/experiments/levels.py")
def variation(folder):
    from thresher.pipelines.experiments.grid import GridReader
    from thresher.pipelines.experiments.levels import read_level, split_values

    named = {"as it is": {}, "large": {"builder.template": "x", "builder.variables": ["query"]}}
    values = '3,0.5,1e-3,true,gpt-4o,"a, b",1:30,[1, 2],{a: b},@v.yaml,@@x'

    def action(rng):
        if rng and rng.random() < 0.4:
            text = mutate_text(rng, values)
            return lambda: [read_level(value, folder) for value in split_values(text)]
        if rng and rng.random() < 0.4:
            (folder / "v.yaml").write_bytes(changed_yaml(rng, PIPELINE))
            return lambda: read_level("@v.yaml", folder)
        (folder / "named.json").write_bytes(changed_json(rng, named))
        vary = {"builder.template": ["a", "b"]}
        reader = GridReader("builder".__eq__, ["builder"], folder)
        return lambda: reader.configurations(vary, named=str(folder / "named.json"))

    return action


@fuzzer("pipelines/experiments/documents.py")
def documents(folder):
    from thresher.pipelines.experiments.documents import read_documents

    rows = [{"id": "a", "content": "x", "meta": {"page": 1}, "topic": "t"}, {"id": "b", "content": "y"}]
    (folder / "texts").mkdir()

    def action(rng):
        if rng and rng.random() < 0.4:
            (folder / "texts/a.md").write_bytes(changed(rng, "# Größe\n\n4 m".encode()))
            return lambda: read_documents(folder / "texts")
        (folder / "d.jsonl").write_bytes(changed_lines(rng, rows))
        return lambda: read_documents(folder / "d.jsonl")

    return action


@fuzzer("cli/source.py")
def origin(folder):
    from thresher import read_dataset
    from thresher.cli.source import selected_note

    row = {
        "id": "a",
        "response": "x",
        "reference": "x",
        "_thresher": {"run": "r", "metric": "m", "score": 0.5},
    }

    def action(rng):
        lines = changed_lines(rng, [row, {**row, "id": "b", "_thresher": '{"run": "r"}'}])
        (folder / "o.jsonl").write_bytes(lines)
        return lambda: selected_note(read_dataset(folder / "o.jsonl"))

    return action
