import pytest

from thresher import EvaluationResults

PROPOSAL = {
    "inputs": {
        "query_id": ["53c3b3e6", "225f87f7", "8ac473ec", "97d284ca"],
        "question": ["Capital of France?", "Capital of Spain?", "Capital of Italy?", "Capital of Malta?"],
        "contexts": ["wiki_France", "wiki_Spain", "wiki_Italy", "wiki_Malta"],
        "answer": ["Paris", "Madrid", "Rome", "Valletta"],
        "predicted_answer": ["Paris", "Madrid", "Roma", "Sliema"],
    },
    "metrics": [
        {"name": "reciprocal_rank", "scores": [0.378064, 0.534964, 0.216058, 0.778642]},
        {"name": "single_hit", "scores": [1, 1, 0, 1]},
        {"name": "multi_hit", "scores": [0.706125, 0.454976, 0.445512, 0.250522]},
        {"name": "context_relevance", "scores": [0.805466, 0.410251, 0.750070, 0.361332]},
        {"name": "faithfulness", "scores": [0.135581, 0.695974, None, 0.041999]},
        {"name": "semantic_answer_similarity", "scores": [0.971241, 0.159320, 0.019722, 1]},
    ],
}


@pytest.fixture
def proposal():
    """The data of the proposal, with as many inputs as scores and one score missing."""
    return {
        "inputs": {name: list(column) for name, column in PROPOSAL["inputs"].items()},
        "metrics": [dict(metric, scores=list(metric["scores"])) for metric in PROPOSAL["metrics"]],
    }


@pytest.fixture
def run(proposal):
    return EvaluationResults.from_dict(proposal)
