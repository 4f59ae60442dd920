"""Numbers with their nouns in messages and reports."""


def counted(number: float, one: str, several: str = "", *, form: str = "") -> str:
    """Return a number with its noun in the singular or plural.

    Args:
        number: the number.
        one: the noun, with what agrees with it, for 1.
        several: the same for other numbers; default: `one` and an s.
        form: format of the number.

    >>> counted(1, "item"), counted(3, "item"), counted(0, "item is", "items are")
    ('1 item', '3 items', '0 items are')
    """
    return f"{number:{form}} {one if number == 1 else several or f'{one}s'}"
