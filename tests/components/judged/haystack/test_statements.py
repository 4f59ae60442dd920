import pytest

from thresher.components.judged.haystack._statements import Statement, Statements
from thresher.judges.reply import read_reply

FORM = Statements()


def read(text):
    return read_reply(text, FORM).value


def test_statements_with_verdict_and_reason():
    first = '{"statement": " a ", "reason": "r", "verdict": "Yes."}'
    found = read(f'{{"statements": [{first}, {{"text": "b", "verdict": false}}]}}')
    assert found == (Statement("a", inferred=True, reason="r"), Statement("b", inferred=False))
    assert read('{"statements": []}') == ()


@pytest.mark.parametrize(
    "reply",
    [
        "{}",
        '{"statements": "none"}',
        '{"statements": ["a"]}',
        '{"statements": [{"statement": "a"}]}',
        '{"statements": [{"statement": "", "verdict": "yes"}]}',
        '{"statements": [{"statement": "a", "verdict": "perhaps"}]}',
        '{"statements": ["a"], "statement_scores": []}',
        '{"statements": ["a"], "statement_scores": [0.5]}',
        '{"statements": ["a"], "statement_scores": [true]}',
        '{"statements": ["a"], "statement_scores": 1}',
        '{"statements": [1], "statement_scores": [1]}',
    ],
)
def test_what_does_not_fit(reply):
    assert read(reply) is None


def test_an_imagined_reply_has_a_statement_a_sentence():
    assert [each.text for each in read(FORM.imagine("One. Two!"))] == ["One.", "Two!"]
    assert len(read(FORM.imagine(""))) == 1
