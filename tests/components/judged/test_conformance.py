"""Which test proves what of the cases in which the libraries that the metrics come from are known to differ.

A case is a metric of a library, a judge that replies so and so, and what the library makes of it, right or
wrong. Two more, of metrics that exist here under no name, are left out: verdicts that a judge may leave open
in faithfulness, and the minimum of alignment and coverage of a summary.
"""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
VALOR = "components/judged/valor/test_vectors.py"
RAGAS = "components/judged/ragas/test"
NVIDIA = "components/judged/nvidia/test"
LLAMA_INDEX = "components/judged/llamaindex/test"
PAIRWISE = "components/judged/pairwise/test"
PROVED = {
    "valor correctness: one statement right, one wrong, none lacking": [f"{VALOR}::test_answer_correctness"],
    "valor correctness: the best of two references": [f"{VALOR}::test_answer_correctness"],
    "valor correctness: no references": [
        f"{VALOR}::test_answer_correctness_without_references_is_zero_and_asks_nobody"
    ],
    "valor precision: useful for any of two references": [
        f"{VALOR}::test_context_precision_of_several_references_is_any_yes"
    ],
    "valor precision: no, yes": [f"{VALOR}::test_context_precision"],
    "valor recall: a half and a whole": [f"{VALOR}::test_context_recall_is_the_best_over_references"],
    "valor relevance: yes, idk": [f"{VALOR}::test_answer_relevance_counts_what_only_supports_by_policy"],
    "valor faithfulness: no contexts, no claims": [f"{VALOR}::test_faithfulness_without_contexts_or_claims"],
    "valor coherence: the scale is mentioned": [
        f"{VALOR}::test_a_scale_that_is_mentioned_is_not_the_rating_as_it_is_for_valor"
    ],
    "ragas faithfulness: one verdict on three statements": [
        f"{RAGAS}_faithfulness.py::test_a_verdict_left_out_is_asked_for_again",
        f"{RAGAS}_faithfulness.py::test_verdicts_that_stay_out_leave_no_score",
        f"{RAGAS}_faithfulness.py::test_compat_divides_by_what_came_back",
    ],
    "ragas correctness: an answer that states nothing": [
        f"{RAGAS}_answer_correctness.py::test_an_answer_that_states_nothing_is_not_right"
    ],
    "ragas factual correctness: two of three, one of four": [
        f"{RAGAS}_factual_correctness.py::test_f1_of_the_shares_of_either_side",
        f"{RAGAS}_factual_correctness.py::test_compat_gives_the_mixed_recall_and_the_rounding",
    ],
    "nvidia accuracy: the scale is mentioned": [
        f"{NVIDIA}_answer_accuracy.py::test_a_rating_in_words_around_the_scale_is_read_well",
        f"{NVIDIA}_answer_accuracy.py::test_compat_reads_the_first_digit_in_its_order",
    ],
    "nvidia accuracy: the first rating is never valid": [
        f"{NVIDIA}_answer_accuracy.py::test_where_one_is_invalid_the_other_counts_and_is_flagged",
        f"{NVIDIA}_answer_accuracy.py::test_compat_depends_on_which_rating_is_invalid",
    ],
    "nvidia accuracy: the second rating is never valid": [
        f"{NVIDIA}_answer_accuracy.py::test_where_one_is_invalid_the_other_counts_and_is_flagged",
        f"{NVIDIA}_answer_accuracy.py::test_compat_depends_on_which_rating_is_invalid",
    ],
    "nvidia context relevance: a context inside the question": [
        f"{NVIDIA}_context_ratings.py::test_contexts_that_repeat_the_question_are_irrelevant_without_asking"
    ],
    "nvidia groundedness: an answer inside the context": [
        f"{NVIDIA}_context_ratings.py::test_an_answer_that_stands_in_the_contexts_is_rated_all_the_same"
    ],
    "ragas relevancy: one question of three is noncommittal": [
        f"{RAGAS}_answer_relevancy.py::test_the_noncommittal_rule"
    ],
    "llamaindex faithfulness: NO, it says yesterday": [
        f"{LLAMA_INDEX}_yes_no.py::test_a_reply_with_the_letters_yes_in_it_is_no_yes"
    ],
    "llamaindex correctness: Score: 4": [
        f"{LLAMA_INDEX}_correctness.py::test_a_score_is_found_where_llamaindex_finds_none_or_fails"
    ],
    "llamaindex pairwise: a tie, then A with the answers exchanged": [
        f"{LLAMA_INDEX}_pairwise_comparison.py::test_the_outcome_in_the_caller_s_frame"
    ],
    "deepeval precision: maybe, yes": [
        f"{RAGAS}_context_precision.py::test_a_verdict_out_of_the_vocabulary_is_none",
        f"{RAGAS}_context_precision.py::test_a_missing_verdict_shifts_no_rank",
    ],
    "deepeval g-eval: 12 on a scale to 10": [
        "components/judged/geval/test_geval.py::test_a_rating_off_the_scale_is_asked_for_again"
    ],
    "prometheus: a full stop after the grade": [
        "components/judged/prometheus/test_grading.py::test_a_grade_with_a_full_stop_needs_no_second_call"
    ],
    "judgelm: a comma between the scores": [
        "components/judged/judgelm/test_judge_lm.py::test_a_comma_between_the_scores_is_no_tie"
    ],
    "fair pairwise: nine for the first shown, eight for the second": [
        f"{PAIRWISE}_fair_pairwise.py::test_nine_for_the_first_place_and_eight_for_the_second_is_a_tie"
    ],
    "ragas noise sensitivity: two wrong statements, one context each": [
        f"{RAGAS}_noise_sensitivity.py::test_wrong_statements_from_a_relevant_and_from_an_irrelevant_context"
    ],
    "llamaindex context relevancy: three packs, a bare number": [
        f"{LLAMA_INDEX}_points.py::test_three_packs_with_bare_numbers_have_a_result"
    ],
    "llamaindex retrieval: a document retrieved twice": [
        "kernels/retrieval/test_metrics.py::test_a_document_retrieved_twice_is_credited_at_its_first_rank"
    ],
}


@pytest.mark.parametrize("case", PROVED)
def test_every_case_has_its_test(case):
    for place in PROVED[case]:
        path, _, name = place.partition("::")
        tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
