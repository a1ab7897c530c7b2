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
from tools import visible_text

__all__ = [
    "has_french_letters",
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
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    }
)
_LIGATURES: Final = str.maketrans({"œ": "oe", "æ": "ae"})


def tidy(text: str) -> str:
    """Return the text in one typography, on one line: composed letters, plain ' and - and spaces.

    Characters that nobody sees are dropped, since they would split a word.
    """
    shown = visible_text(text).translate(_TIDY)
    composed = unicodedata.normalize("NFKC", shown).translate(_TIDY)
    return " ".join(composed.split())


def plain(text: str) -> str:
    """Return the tidy text without case and accents: the form that patterns are matched against.

    Accents go because customers leave them out, and so that composed and decomposed are one.
    """
    parted = unicodedata.normalize("NFKD", tidy(text).casefold())
    return "".join(c for c in parted if not unicodedata.combining(c)).translate(_LIGATURES)


def _words(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b")


_HURT: Final = r"(?:hands?|fingers?|thumbs?|arms?|legs?|foot|feet|toes?|head|face|eyes?|back)"
_DANGER: Final = _words(
    # English; "burner" is a part of a grill.
    r"safety|unsafe|danger\w*|fires?|smok(?:e[ds]?|ing|y)|burn(?:s|t|ed|ing)?",
    r"scorch\w*|spark(?:s|ed|ing)?|shock(?:s|ed|ing)?|injur\w+|hurt(?:s|ing)?",
    r"electrocut\w+|explo(?:d|s)\w+|(?:smell|leak)(?:s|ed|ing)? (?:of )?gas|gas (?:smell|leak)s?",
    r"cut (?:my|him|her|them|your)sel(?:f|ves)|bleed(?:s|ing)?|hospital|poison(?:ed|ing|ous)",
    rf"(?:cut|broke|bruised) (?:my|his|her|their|our) (?:left |right )?{_HURT}",
    r"chok(?:ed|ing)|jolt|melt(?:s|ed|ing)|overheat(?:s|ed|ing)?|short[- ]circuit\w*",
    # French; "bruleur" is a burner.
    r"brul(?!eurs?\b)\w+|incendies?|etincel\w+|bless\w+|fumees?|fumer|court-circuit\w*",
    r"(?:pris|prit|prend\w{0,3}|prenn?e\w{0,2}|mis le|debut de) feu|en feu(?! de bois)",
    r"(?:choc|decharge)s? electriques?|pris le jus|(?:odeur|fuite)s? de gaz",
    r"sent(?:ir|ait)? (?:fort |encore )?(?:le |du |un peu le )?gaz",
    r"(?:me suis|t'es|s'est|s'etait|se sont|nous sommes) (?:[a-z]{1,10} )?coupee?s?",
    r"saign\w+|hopital|intoxi\w+|surchauff\w+|(?:a|ont) fondu",
    r"(?:probleme|question|risque|souci)s? de securite",
)
_LAW: Final = _words(
    r"lawyers?|solicitors?|attorneys?|sued|suing|lawsuits?|small claims|litigat\w+",
    # "Sue" is a name as well.
    r"(?:(?:i|we|'ll|'d|will|shall|can|could|may|might|must|would|and|or) "
    r"|(?:going|want|plan|intend|have|ready|prepared|entitled) to )sue|sue (?:you|the|this|your)",
    r"legal (?:action|steps?|proceedings|advice|rights|remed(?:y|ies)|notice|team|counsel)",
    r"press charges|cease and desist|class action|(?:before|in front of) (?:a|the) judge",
    r"avocate?s?|tribuna(?:l|ux)|petites creances|huissiers?|action collective",
    r"(?:poursuite|action|demarche|recours)s? (?:judiciaire|juridique|legale)s?|recours collectif",
    r"en justice|(?:engag\w+|intent\w+|entam\w+) des poursuites|devant (?:le|un) juge",
    r"(?:mise|mets?|mettre|mettons|mettrai) en demeure|(?:port|depos)\w+ (?:une )?plainte",
)
_COURT: Final = _words(
    # After such a word, and in no address: not "12 Court Street", not "a tennis court".
    r"(?:in|to|through|before|by|at|the|a|claims|civil|high|supreme|federal|provincial) "
    r"courts?(?! (?:street|st|road|rd|avenue|ave|lane|drive|place|square|yard|light|set|chair)\b)",
    r"court (?:case|date|order|action|proceedings|hearing|summons|claim)s?",
)
_LEAVE: Final = r"(?:ignore|disregard|forget|override|bypass|circumvent|violate)"
_RULES: Final = r"(?:instructions?|rules?|prompts?|guidelines?|directives?|polic(?:y|ies))"
_OF_RULES: Final = (
    r"(?:,? (?:please|about|all|any|and|every|everything|each|of|the|your|these|those|previous"
    r"|prior|earlier|above|other|existing|current|original|system|safety|internal|company|store"
    r"|shop)\b,?){0,8}"
)
_BIDDEN: Final = (
    r"(?:(?<![\w'] )|(?<=\bplease )|(?<=\band )|(?<=\bthen )|(?<=\bnow )|(?<=\bmust )"
    r"|(?<=\bshould )|(?<=\bet )|(?<=\bpuis )|(?<=\balors )|(?<=\bdonc )|(?<=\bmaintenant ))"
)
"""Where an order begins: a clause, or after such a word. "They do not follow the rules" is none."""
_IGNORE: Final = (
    # A written accent is gone, so that "ignore" may be a participle, as in "j'ai ignoré".
    rf"(?:ignore[rz]|oublie[rz]|contourne[rz]|{_BIDDEN}(?:ignore|oublie|contourne)s?"
    rf"|{_BIDDEN}(?:ne (?:tenez|tiens) (?:pas|aucun) compte|faites abstraction|fais abstraction"
    r"|passe[rz]? outre|ne (?:respecte|suive|sui)[sz]? (?:pas|plus|aucun\w?)"
    r"|n'(?:applique|observe)[sz]? (?:pas|plus|aucun\w?)"
    r"|(?:arrete|cesse)[sz]? (?:de suivre|de respecter|d'appliquer))"
    r"|ne (?:pas |plus )?tenir (?:pas |aucun )?compte|ne (?:pas|plus) (?:suivre|appliquer)"
    r"|passer outre|faire abstraction|desobei(?:s|r|ssez))"
)
_MACHINE: Final = _words(
    rf"(?<!not )(?<!n't )(?<!never ){_LEAVE}{_OF_RULES} {_RULES}",
    rf"{_BIDDEN}(?:(?:do not|don't|never|no longer) (?:follow|obey|apply|respect)"
    rf"|stop (?:following|obeying|applying)){_OF_RULES} {_RULES}",
    rf"{_BIDDEN}{_LEAVE} (?:all |everything )?(?:(?:of )?the above|you were told|above)",
    r"(?:skip|bypass|circumvent|override) (?:the |your |any |all )?approvals?(?: steps?| process)?",
    r"(?:note|message|instructions?|notice) (?:for|to) (?:the |any |all |our |your )?"
    r"(?:system|assistant|ai|bot|chatbot|model|machine)s?",
    r"(?:system|assistant|ai|bot) (?:note|override|prompt|instructions?)",
    r"you are now (?:a |an |the )?(?:[a-z]{1,15} ){0,2}(?:ai|bot|assistant|agent|manager|model)",
    rf"{_BIDDEN}pretend (?:to be|you are|you're|that you)",
    r"developer mode|needs_human|request_refund",
    r"(?:reveal|print|show|repeat) (?:me )?your (?:system )?(?:prompt|instructions)",
    # French; the participle ("le livreur a ignoré ...") speaks of somebody else.
    rf"{_IGNORE}"
    r"(?:,? (?:a|de|des|du|tous|toutes|toute|tout|les|le|la|vos|votre|tes|ces|cette|autres"
    r"|anciennes|precedentes|et)\b){0,6} (?:precedentes? )?"
    r"(?:instructions?|consignes?|regles?|directives?)(?! de livraison)",
    r"(?:note|message|consigne|instruction)s? (?:pour|a|au) (?:l'|le |la )?"
    r"(?:systeme|assistant|ia|robot|modele|machine)",
    r"(?:saute|passe|ignore|contourne)[rz]? l'(?:etape d')?approbation",
    r"vous etes maintenant une? (?:[a-z]{1,15} )?(?:ia|robot|assistante?|agente?|modele)",
)


def speaks_of_danger(text: str) -> bool:
    """Whether a plain text names danger, injury, fire, smoke or shock, even as a worry."""
    return _DANGER.search(text) is not None


def speaks_of_law(text: str) -> bool:
    """Whether a plain text names lawyers, courts or legal steps.

    "Court" counts after "in", "the" and the like, unless the text is French: it means short.
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
    "abime abimee alors allons annulez au aucun aucune aussi avec avez avons bonjour bonsoir casse "
    "cassee ce ces cela cette chez colis commande comme comment dans de depuis des du elle en "
    "encore est et etait ete etes facture faire faut il ils je jointe jours la le les leur "
    "livraison livre livree ma mais manquant manquante manque merci mes moi mon ne nos notre nous "
    "ont ou par pas pour pourquoi pouvez pouvons quand que quel quelle qui recu recue "
    "remboursement remboursez sans sera si sommes sont suis svp sur tard toujours tout tres un une "
    "veuillez votre vos vous".split()
)
_ENGLISH: Final = frozenset(
    "a about after and any are at be been but by can could did do does for from had has have hello "
    "help how i if in is it its my need not of on or our please sorry thank thanks that the their "
    "them there they this to was we were what when where which who why will with would you "
    "your".split()
)
_BOTH: Final = frozenset("a on".split())
_FRENCH_LETTER: Final = re.compile("[àâçèéêëîïôùûœ]", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]+")
FRENCH_WORDS: Final = 3
"""A text with as many common French words is French (reference facts A5)."""
FEW_WORDS: Final = 6


def has_french_letters(text: str) -> bool:
    """Whether a text, as it was written, has letters that English words seldom have."""
    return _FRENCH_LETTER.search(unicodedata.normalize("NFC", text)) is not None


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
