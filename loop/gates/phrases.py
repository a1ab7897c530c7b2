"""What the rule gate reads a reply for: requests for secrets, promises of money.

Each pattern may begin with a group ``spared``: words that turn the phrase into something else
("please don't send us your password"). A phrase counts where that group is empty. Patterns are
matched against plain text (``loop.gates.words``) and repeat only a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["asks_secret", "promises"]


def _counts(patterns: Iterable[re.Pattern[str]], text: str) -> bool:
    """Whether a pattern is found in the plain text with nothing that spares it."""
    return any(match["spared"] is None for each in patterns for match in each.finditer(text))


# --- secrets ---------------------------------------------------------------------------------

_HIDDEN: Final = (
    r"(?:passwords?(?! (?:reset|change|recovery|link|page|help|instructions))|passcodes?"
    r"|pin(?: codes?| numbers?)?|card(?:'s)? (?:numbers?|details)|number (?:of|on) (?:your|the)"
    r" (?:[a-z]{1,10} )?card|cvv|cvc|security codes?|bank(?:ing)? details|login details"
    r"|credentials|mots? de passe|numeros? (?:complets? )?de (?:(?:votre|la|ta|sa) )?carte"
    r"|coordonnees bancaires"
    r"|code (?:de securite|pin|secret)|cryptogramme|identifiants de connexion)"
)
_SAYS_HIDDEN: Final = re.compile(rf"\b{_HIDDEN}\b")
_GIVE: Final = (
    r"(?:send|tell|give|share|provide|supply|email|text|forward|include|confirm"
    r"|(?:reply|respond) with)"
)
_GAP: Final = (
    r"(?: (?!(?:you|not|never|without|no|don't|but|except|if|whether|when|where|how|what|which|that"
    r"|once|after|before|because|so|about|link|reset\w{0,6}|chang\w{1,6}|send|tell|give|share"
    r"|provide)\b)[^\s.!?;]{1,40}){0,10}?"
)
_DONT: Final = (
    r"(?<!\w)(?P<spared>(?:not|never|avoid|without|cannot|no"
    r"|(?:do|does|did|wo|ca|should|must|need)n't)"
    r"(?: (?!(?:worry|hesitate|forget|problem)\b)[^\s.!?;,]{1,40}){0,8}? )?"
)
_DONNEZ: Final = (
    r"(?:(?:envoye|communique|donne|indique|partage|precise|confirme)[rz]|transmett(?:re|ez)"
    r"|fourni(?:r|ssez)|dites|dire|parvenir)"
)
_ENTRE: Final = (
    r"(?:[ -](?!(?:pas|jamais|sans|ni|mais|si|quand|comment|pour|afin|lien|vous|apres"
    r"|reinitialis\w+|chang\w+|envoye[rz]|donne[rz])\b)[^\s.!?;]{1,40}){0,10}?"
)
_PAS: Final = (
    r"(?<!\w)(?P<spared>(?:ne |n'|jamais |sans |inutile |evite[rz] |pas besoin )"
    r"(?:(?!hesit|oubli|manqu)[^\s.!?;,]{1,40} ){0,8}?(?:de |d')?)?"
)
_ASKS: Final = (
    re.compile(rf"{_DONT}\b{_GIVE}{_GAP} {_HIDDEN}\b"),
    re.compile(
        rf"{_DONT}\b(?:need|require|requires|what(?:'s| is)|asking for|ask for"
        r"|(?:may|can|could) (?:i|we) (?:have|get))"
        rf"(?: (?:to know|to have|you to enter))?(?: (?:your|the|full|complete|current)){{1,3}}"
        rf"(?: [a-z]{{1,12}})? {_HIDDEN}\b"
    ),
    re.compile(rf"{_PAS}\b{_DONNEZ}{_ENTRE} {_HIDDEN}\b"),
    re.compile(
        rf"{_PAS}\b(?:besoin (?:de |d')|quel(?:le)?s? (?:est|sont) |il (?:nous|me) faut )"
        rf"(?:(?:votre|vos|le|la|les) ){{1,2}}{_HIDDEN}\b"
    ),
)


def asks_secret(text: str) -> bool:
    """Whether a plain text asks the customer for a password, a card number or the like."""
    return _SAYS_HIDDEN.search(text) is not None and _counts(_ASKS, text)


# --- promises --------------------------------------------------------------------------------

_PROMISE: Final = (
    re.compile(
        r"(?<!\w)(?P<spared>(?:cannot|not|never|no|unable|without|(?:ca|wo|do|does|could)n't|ne|aucun"
        r"|pas|sans|you (?:have |had )?(?:asked|requested|mentioned|wanted?)|your request"
        r"|vous (?:avez )?(?:demand|mentionn|souhait)\w{1,4}|votre demande)"
        r"(?: (?!(?:we|i|we'll|i'll|nous|je|problem)\b)[^\s.!?;,]{1,40}){0,5}? )?"
        r"\b(?:refund\w{0,4}|reimburs\w{1,6}|credit(?! card)\w{0,3}|compensat\w{1,4}"
        r"|discount\w{0,2}|vouchers?|goodwill|(?:pay|give|send|owe) you|pay back|get back"
        r"|you(?:'ll| will) receive"
        r"|rembours\w{1,6}|dedommag\w{1,6}|indemnis\w{1,6}|vers(?:er|ons|erons)|remises?|rabais"
        r"|bons? d'achat|geste commercial|vous recevrez|vous rend(?:re|ons|rons))\b"
    ),
)


def promises(text: str) -> bool:
    """Whether a plain sentence promises money: refuses none, and repeats no request for it."""
    return _counts(_PROMISE, text)
