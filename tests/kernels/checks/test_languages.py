from collections import Counter

import pytest

from kernels.checks.language_texts import OF_OTHERS, TEXTS, TOO_SHORT
from thresher.kernels.checks.languages import languages_of

LATIN = {"en", "de", "fr", "es", "it", "pt", "nl", "pl"}


def test_the_accuracy_on_the_texts_is_the_documented_one():
    decided = Counter()
    for language, texts in TEXTS.items():
        for text in texts:
            answer = languages_of(text).language
            decided["right" if answer == language else "wrong" if answer else "not decided"] += 1
            assert answer in (language, None), f"{language} taken for {answer}: {text}"
    assert decided == {"right": 144, "not decided": 6}


def test_each_language_is_decided_in_most_of_its_texts():
    decided = {
        language: sum(languages_of(text).language == language for text in texts) / len(texts)
        for language, texts in TEXTS.items()
    }
    assert len(decided) == 15
    assert min(decided.values()) >= 0.8


@pytest.mark.parametrize("text", TOO_SHORT)
def test_texts_that_may_be_names_have_no_language(text):
    assert (languages_of(text).script, languages_of(text).candidates) == ("", frozenset())


def test_languages_that_are_not_listed_are_not_taken_for_others():
    assert {name: languages_of(text).language for name, text in OF_OTHERS.items()} == dict.fromkeys(OF_OTHERS)


def test_letters_of_no_listed_language_exclude_all_of_them():
    assert languages_of(OF_OTHERS["fa"]).candidates == frozenset()
    assert languages_of(OF_OTHERS["cs"]).candidates == frozenset()
    assert languages_of(OF_OTHERS["el"]).script == "other"


def test_few_function_words_leave_the_languages_of_the_script():
    undecided = languages_of("Kubernetes Docker Swarm Nomad")
    assert (undecided.script, undecided.candidates, undecided.language) == ("latin", LATIN, None)


def test_code_and_addresses_do_not_count():
    text = "Führen Sie das aus: ```the and of is was with for``` `if the value is not for this` (https://a.org/the/of)"
    assert languages_of(text).language == "de"


def test_names_in_latin_letters_do_not_outweigh_another_script():
    assert languages_of("我们用 Docker 和 Kubernetes 部署服务").language == "zh"
    assert languages_of("Запусти Docker Compose и посмотри на logs").script == "cyrillic"


def test_composed_and_decomposed_letters_are_equal():
    decomposed = "Il n'a pas e\u0301te\u0301 rempli, mais c'est pre\u0301vu."
    assert languages_of(decomposed).language == "fr"
