"""What the rule gate reads a ticket for: danger, law, orders to the machine, and its language.

Vocabularies are those of reference facts A5, with French beside English throughout. All patterns
are matched against :func:`plain` text, are written without accents, and repeat only a bounded
number of times, so that a ticket of any length is read in time that grows with its length.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from loop.resolution import Language

__all__ = [
    "has_words",
    "is_blank",
    "language_of",
    "plain",
    "speaks_of_danger",
    "speaks_of_law",
    "speaks_to_the_machine",
    "tidy",
]

_TIDY: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201b\u02bc\u2032\u0060\u00b4", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff"),
    }
)
_LIGATURES: Final = str.maketrans({"œ": "oe", "æ": "ae"})


def tidy(text: str) -> str:
    """Return the text in one typography, on one line: composed letters, plain ' and - and spaces.

    Characters without a width are dropped, since they would split a word unseen.
    """
    composed = unicodedata.normalize("NFKC", text.translate(_TIDY)).translate(_TIDY)
    return " ".join(composed.split())


def plain(text: str) -> str:
    """Return the tidy text without case and accents: the form that patterns are matched against.

    Accents go because customers leave them out, and so that composed and decomposed are one.
    """
    parted = unicodedata.normalize("NFKD", tidy(text).casefold())
    return "".join(c for c in parted if not unicodedata.combining(c)).translate(_LIGATURES)


def _words(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b")


_DANGER: Final = _words(
    # English; "burner" is a part of a grill.
    r"safety|unsafe|danger\w*|fires?|smok(?:e[ds]?|ing|y)|burn(?:s|t|ed|ing)?",
    r"scorch\w*|spark(?:s|ed|ing)?|shock(?:s|ed|ing)?|injur\w+|hurt(?:s|ing)?",
    r"electrocut\w+|explo(?:d|s)\w+|(?:smell|leak)(?:s|ed|ing)? (?:of )?gas|gas (?:smell|leak)s?",
    # French
    r"brul\w+|incendies?|etincel\w+|bless\w+|fumees?|fumer|(?:pris|prend|prendre|en) feu",
    r"(?:choc|decharge)s? electriques?|odeurs? de gaz|fuites? de gaz",
    r"(?:probleme|question|risque|souci)s? de securite",
)
_LAW: Final = _words(
    r"lawyers?|solicitors?|attorneys?|sue|sued|suing|lawsuits?|(?:small claims|in|to) court",
    r"legal (?:action|steps?|proceedings|advice)",
    r"avocate?s?|tribuna(?:l|ux)|petites creances|(?:poursuite|action|demarche)s? (?:judiciaire|"
    r"en justice|legale)s?|poursuivre en justice|mise en demeure",
)
_COURT: Final = _words(r"courts?")
_MACHINE: Final = _words(
    r"(?<!not )(?<!n't )(?<!never )(?:ignore|disregard|forget|override|bypass)"
    r"(?: (?:about|all|any|every|everything|each|of|the|your|these|those|previous|prior|earlier"
    r"|above|other|existing|current|original|system|safety|internal)){0,6}"
    r" (?:instructions?|rules?|prompts?|guidelines?|directives?|polic(?:y|ies))",
    r"skip (?:the |your |any |all )?approval(?: steps?| process)?",
    r"(?:note|message|instructions?|notice) (?:for|to) (?:the |any |all |our |your )?"
    r"(?:system|assistant|ai|bot|chatbot|model|machine)s?",
    r"(?:system|assistant|ai|bot) (?:note|override|prompt|instructions?)",
    # French; the participle ("le livreur a ignoré ...") speaks of somebody else.
    r"(?<!\ba )(?<!ont )(?<!avez )(?<!avons )(?:ignore[rsz]?|oublie[rsz]?|contourne[rsz]?"
    r"|ne (?:tenez|tiens|tenir) (?:pas|aucun) compte|ne (?:respecte|suive)[sz]? pas)"
    r"(?: (?:de|des|du|tous|toutes|toute|tout|les|le|la|vos|votre|tes|ces|cette|autres|anciennes"
    r"|precedentes|et)){0,6} (?:precedentes? )?(?:instructions?|consignes?|regles?|directives?)"
    r"(?! de livraison)",
    r"(?:note|message|consigne|instruction)s? (?:pour|a|au) (?:l'|le |la )?"
    r"(?:systeme|assistant|ia|robot|modele|machine)",
    r"(?:saute[rz]?|passe[rz]?|ignore[rz]?) l'(?:etape d')?approbation",
)


def speaks_of_danger(text: str) -> bool:
    """Whether a plain text names danger, injury, fire, smoke or shock, even as a worry."""
    return _DANGER.search(text) is not None


def speaks_of_law(text: str) -> bool:
    """Whether a plain text names lawyers, courts or legal steps.

    "Court" alone counts unless the text is French, where it means short.
    """
    if _LAW.search(text) is not None:
        return True
    return _COURT.search(text) is not None and language_of(text) is not Language.FR


def speaks_to_the_machine(text: str) -> bool:
    """Whether a plain text tells the assistant to leave its rules, or is addressed to it."""
    return _MACHINE.search(text) is not None


def is_blank(text: str) -> bool:
    """Whether there is nothing to read: no letter and no digit."""
    return not any(map(str.isalnum, text))


# Words that the other language does not have.
_FRENCH: Final = frozenset(
    "alors allons au aucun aucune aussi avec avez avons bonjour bonsoir ce ces cela cette chez "
    "colis commande comme comment dans de depuis des du elle en encore est et etait ete etes "
    "faire faut il ils je jours la le les leur livraison ma mais merci mes moi mon ne nos notre "
    "nous ont ou par pas pour pourquoi pouvez pouvons quand que quel quelle qui remboursement "
    "sans sera si sommes sont suis svp sur toujours tout tres un une veuillez votre vos "
    "vous".split()
)
_ENGLISH: Final = frozenset(
    "a about after and any are at be been but by can could did do does for from had has have hello "
    "help how i if in is it its my need not of on or our please sorry thank thanks that the their "
    "them there they this to was we were what when where which who why will with would you "
    "your".split()
)
_BOTH: Final = frozenset("a on".split())
_WORD: Final = re.compile(r"[^\W\d_]+")
FRENCH_WORDS: Final = 3
"""A text with as many common French words is French (reference facts A5)."""
FEW_WORDS: Final = 6


def has_words(text: str, count: int) -> bool:
    """Whether a plain text has at least so many words."""
    return len(_WORD.findall(text)) >= count


def language_of(text: str) -> Language | None:
    """Return the language of a plain text, or None where its words do not tell.

    French at three common French words or more, unless English ones outnumber them (a text that
    quotes some French). A few words, too few for that, are French by one and none of English.
    """
    words = _WORD.findall(text)
    french = sum(word in _FRENCH for word in words)
    english = sum(word in _ENGLISH and word not in _BOTH for word in words)
    is_french = french >= FRENCH_WORDS and french > english
    is_short_french = french > 0 and english == 0 and len(words) <= FEW_WORDS
    if is_french or is_short_french:
        return Language.FR
    return Language.EN if english else None
