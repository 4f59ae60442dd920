"""The column names that are understood without a mapping: those that users of other frameworks have already.

The one table of names: readers name columns by it, and reports find questions, answers and references in runs
whose columns have other names. Of names with one meaning, those listed first are preferred.
"""

from thresher.results.column_names import KnownName, Rank


def _group(socket: str, rank: Rank, /, **used_by: str) -> tuple[KnownName, ...]:
    return tuple(KnownName(column, socket, users, rank=rank) for column, users in used_by.items())


_OTHER_LABELS = "another column holds {} labels"

KNOWN_NAMES: tuple[KnownName, ...] = (
    *_group(
        "ids",
        "always",
        id="SQuAD, Hugging Face data sets",
        item_id="general use",
        query_id="Haystack, BEIR",
        query_ids="Haystack",
        question_id="question answering data sets",
        qid="TREC",
        sample_id="general use",
        _id="BEIR",
    ),
    *_group(
        "questions",
        "always",
        question="Haystack, ragas before 0.2, SQuAD",
        query="LlamaIndex, Haystack answers, Valor",
        queries="LlamaIndex",
        user_input="ragas",
        input="DeepEval, Langfuse, Braintrust, OpenAI evals",
    ),
    *_group(
        "questions",
        "clear",
        user_query="general use",
        user_question="general use",
        question_text="general use",
        instruction="Alpaca",
        problem="MATH",
    ),
    *_group(
        "questions",
        "loose",
        prompt="Hugging Face data sets, promptfoo, HumanEval",
        inputs="MLflow, LangSmith, Hugging Face data sets",
        request="MLflow",
    ),
    KnownName("messages", "questions", "OpenAI", "it holds chats that end with the user's message", "loose"),
    *_group(
        "conversations",
        "always",
        conversation="general use",
        turns="DeepEval",
        tools_called="DeepEval",
    ),
    *(
        KnownName(column, "conversations", users, "it holds chats with messages of the model", "conditional")
        for column, users in {
            "messages": "OpenAI, Anthropic, LangChain, Haystack agents",
            "user_input": "ragas",
        }.items()
    ),
    *_group("reference_conversations", "always", reference_conversation="general use"),
    *_group("chatbot_roles", "always", chatbot_role="DeepEval"),
    *_group(
        "reference_tool_calls",
        "always",
        expected_tools="DeepEval",
        expected_tool_calls="general use",
    ),
    *_group(
        "predicted_answers",
        "always",
        predicted_answer="Haystack",
        response="ragas, LlamaIndex, Valor",
        responses="LlamaIndex",
        actual_output="DeepEval",
        response_a="Prometheus",
        responses_a="Prometheus",
    ),
    KnownName(
        "answer",
        "predicted_answers",
        "ragas before 0.2",
        "it holds texts, and no other column holds predicted answers",
        "conditional",
    ),
    KnownName(
        "predictions",
        "predicted_answers",
        "Hugging Face evaluate, MLflow",
        "it holds texts, a column holds references, and none holds true labels",
        "conditional",
    ),
    *_group(
        "predicted_answers",
        "clear",
        model_output="general use",
        model_answer="general use",
        model_response="general use",
        generated_answer="general use",
        generated_response="general use",
        generated_text="Hugging Face pipelines",
        prediction_text="Hugging Face evaluate",
        llm_answer="general use",
        llm_output="general use",
        llm_response="general use",
        last_message="Haystack agents",
    ),
    *_group(
        "predicted_answers",
        "loose",
        output="promptfoo, Langfuse, Braintrust",
        outputs="MLflow, LangSmith",
        completion="OpenAI, Hugging Face data sets",
        generation="general use",
        hypothesis="machine translation",
    ),
    KnownName(
        "prediction",
        "predicted_answers",
        "general use",
        "no column holds true labels; next to `label` or `target` only with a question",
        "loose",
    ),
    *_group(
        "second_predicted_answers",
        "always",
        second_predicted_answer="general use",
        second_response="LlamaIndex",
        response_b="Prometheus",
        responses_b="Prometheus",
    ),
    *_group(
        "ground_truth_answers",
        "always",
        ground_truth_answer="Haystack",
        true_answer="Haystack",
        true_answers="Haystack",
        reference="ragas, LlamaIndex",
        references="Hugging Face evaluate",
        ground_truth="ragas before 0.2, MLflow",
        expected_output="DeepEval, Langfuse",
        expected_outcome="DeepEval",
        answers="SQuAD, Hugging Face data sets",
    ),
    KnownName(
        "ground_truths",
        "ground_truth_answers",
        "ragas before 0.1",
        "there is no column `predictions`",
        "conditional",
    ),
    KnownName(
        "answer",
        "ground_truth_answers",
        "Haystack",
        "another column holds predicted answers, or it holds lists",
        "conditional",
    ),
    *_group(
        "ground_truth_answers",
        "clear",
        reference_answer="LlamaIndex",
        reference_answers="general use",
        reference_output="LangSmith",
        reference_outputs="LangSmith",
        expected_answer="general use",
        expected_answers="general use",
        expected_response="MLflow",
        correct_answer="general use",
        correct_answers="TruthfulQA",
        gold_answer="general use",
        gold_answers="general use",
    ),
    *_group(
        "ground_truth_answers",
        "loose",
        expected="Braintrust",
        ideal="OpenAI evals",
        gold="general use",
        golden="general use",
    ),
    KnownName(
        "target",
        "ground_truth_answers",
        "Inspect, BIG-bench",
        "no column holds predicted labels; next to `prediction` only with a question",
        "loose",
    ),
    KnownName(
        "label",
        "ground_truth_answers",
        "general use",
        "it holds texts next to a question and `prediction`",
        "loose",
    ),
    KnownName(
        "__expected",
        "ground_truth_answers",
        "promptfoo",
        "no entry is an assertion such as `contains: x`",
        "loose",
    ),
    *_group("contexts", "always", retrieved_contexts="ragas", retrieval_context="DeepEval"),
    KnownName(
        "context", "contexts", "SQuAD", "it holds texts, and no other column holds contexts", "conditional"
    ),
    *_group(
        "contexts",
        "clear",
        retrieved_passages="general use",
        retrieved_chunks="general use",
        passages="general use",
    ),
    KnownName(
        "context",
        "ground_truth_contexts",
        "SQuAD",
        "it holds texts next to another column of contexts",
        "conditional",
    ),
    KnownName(
        "context",
        "ground_truth_contexts",
        "DeepEval",
        "it holds lists next to contexts or DeepEval's other names",
        "conditional",
    ),
    *_group("ground_truth_contexts", "always", reference_contexts="ragas, LlamaIndex"),
    *_group(
        "retrieved_documents",
        "always",
        documents="Haystack",
        retrieved_ids="LlamaIndex",
        retrieved_context_ids="ragas",
    ),
    *_group(
        "retrieved_documents",
        "clear",
        retrieved_docs="general use",
        retrieved_doc_ids="general use",
    ),
    *_group(
        "ground_truth_documents",
        "always",
        expected_ids="LlamaIndex",
        reference_context_ids="ragas",
    ),
    *_group(
        "ground_truth_documents",
        "clear",
        relevant_docs="LlamaIndex",
        relevant_documents="general use",
        relevant_doc_ids="general use",
    ),
    *(
        KnownName(column, "ground_truths", users, _OTHER_LABELS.format("predicted"), "conditional")
        for column, users in {
            "y_true": "scikit-learn",
            "true_label": "general use",
            "true_class": "general use",
        }.items()
    ),
    *(
        KnownName(column, "predictions", users, _OTHER_LABELS.format("true"), "conditional")
        for column, users in {
            "y_pred": "scikit-learn",
            "predicted_label": "general use",
            "predicted_class": "general use",
        }.items()
    ),
)

ID_NAMES = ("ids", *(known.column for known in KNOWN_NAMES if known.socket == "ids"))
"""Columns that name the items, in the order in which they are tried."""
ORIGIN = "_thresher"
"""Column of exported items: the run and the scores that they come from."""
