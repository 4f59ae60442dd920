import pytest

from thresher.errors import InputError
from thresher.judges import Texts
from thresher.judges.template import Template


def test_a_text_becomes_a_fenced_prompt():
    template = Template("custom/x", "Is it polite? {{ predicted_answers }}")
    ask = template.ask(Texts("list"), predicted_answers="Hello.")
    assert [message.role for message in ask.messages] == ["system", "user"]
    assert ask.prompt == "custom/x"
    assert "\nHello.\n</predicted_answers " in ask.messages[1].text


def test_a_system_message_of_its_own_or_none():
    assert Template("x", "{{ a }}", "Be brief.").ask(Texts("t"), a="b").messages[0].text == "Be brief."
    assert [m.role for m in Template("x", "{{ a }}", "").ask(Texts("t"), a="b").messages] == ["user"]


def test_text_and_system_message_are_in_the_fingerprint():
    templates = [Template("x", "{{ a }}"), Template("x", "{{ a }}."), Template("x", "{{ a }}", "")]
    assert len({repr(template) for template in templates}) == 3


def test_a_broken_template_is_named_with_its_line():
    with pytest.raises(InputError, match=r"the template of custom/x is not a jinja template: line 2: "):
        Template("custom/x", "Rate\n{{ answer")


def test_a_template_cannot_reach_out_of_its_sandbox():
    with pytest.raises(InputError, match=r"the template of x cannot be filled in: .* unsafe"):
        Template("x", "{{ (a ~ 1).__class__.__mro__ }}")


@pytest.mark.parametrize("source", ["{{ a }}{% include 'b' %}", "{{ a / 2 }}", "{{ a }}{{ range(1, 0, 0) }}"])
def test_a_template_that_cannot_be_filled_in_is_refused_before_there_is_anything_to_fill_in(source):
    with pytest.raises(InputError, match="the template of x cannot be filled in: "):
        Template("x", source)


def test_data_are_no_template():
    ask = Template("x", "{{ a }}").ask(Texts("t"), a="{{ 7 * 7 }}")
    assert "{{ 7 * 7 }}" in ask.text
