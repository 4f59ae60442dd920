"""Frequent words and letters of languages that share a script, by which `languages` separates them."""

# ruff: noqa: RUF001  (Cyrillic)

from collections.abc import Mapping

WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": """the of and to in is was were are that it for with as on by this be from or which have has
            had not but they their you your can will would there been its he she we what when who how than
            into about also only more most some such these those could should between because while after
            before both if does do all at an then my""",
        "de": """der die das und ist sind war waren ein eine einen einem einer nicht mit auf für von zu
            den dem des im in auch sich es sie er wir ich wird werden wurde wurden hat haben hatte als an
            bei aus nach nur noch oder aber wenn wie kann können dass durch über unter zwischen weil sehr
            mehr am zum zur kein keine dann man bis vor""",
        "fr": """le la les de des du un une et est sont était été dans pour par pas que qui il elle sur
            avec au aux ce cette ces ne se en plus son sa ses leur nous vous on ont à être avoir peut mais
            ou où comme entre très aussi l d qu c s n j après avant parce puis tous toute fait non""",
        "es": """el la los las de del un una y es son era fue en que por para con no se su sus al lo como
            más pero o está están ha han muy también entre cuando donde sobre sin este esta estos hay
            puede ser tiene desde hasta porque después antes todo todos primero mi""",
        "it": """il lo la i gli le di del della dei delle un una è sono era e che per con non si su nel
            nella al alla dal da ha hanno più anche come ma o questo questa tra fra quando dove molto può
            essere stato stata dopo prima perché dell all nell l d ogni ci poi in se fu""",
        "pt": """o a os as de do da dos das um uma e é são era foi em que por para com não se seu sua ao à
            no na nos nas mais mas ou como também está estão muito entre quando onde sobre sem este esta
            isso há pode ser tem desde até porque depois antes foram todo todos cerca primeiro minha""",
        "nl": """de het een en van is zijn was waren niet met op voor te dat die in ook er aan bij naar
            uit nog maar als om door over worden wordt werd kan kunnen heeft hebben had zich je ik wij ze
            deze dit geen meer veel tussen omdat dan na tot wel zoals wat moet nee daarna eerst hoe""",
        "pl": """i w z na do się jest są był była było nie że to o jak po od za przez dla ale lub oraz być
            ma mają tym tej tego który która które ich jego jej przy może można także też tylko już między
            gdy kiedy ze we a co przed ponieważ bardzo potem""",
        "ru": """и в не на что с по это как а то к но его из у за от о для все она он они так же был была
            было были или при мы вы который которая которые быть может можно если также только уже до
            между когда где очень более после потому нет оба потом""",
        "uk": """і в не на що з по це як а то до але його із у за від про для всі вона він вони так був
            була було були або при ми ви який яка які бути може можна якщо також тільки вже між коли де
            дуже більше після тому та й є ні""",
    }.items()
}
"""Language -> words without meaning of their own: articles, pronouns, prepositions, auxiliary verbs."""

LETTERS: Mapping[str, str] = {
    "de": "ßäöü",
    "fr": "çèêëœùâîôûé",
    "es": "ñáíóúé",
    "it": "òìùàèé",
    "pt": "ãõçáâêéíóú",
    "nl": "ëï",
    "pl": "łąęśżźćńó",
    "ru": "ыэъё",
    "uk": "іїєґ",
}
"""Language -> letters that the other languages of its script have less often or not."""
