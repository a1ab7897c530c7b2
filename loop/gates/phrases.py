"""What the rule gate reads a reply for: requests for secrets, promises of money.

Each pattern may begin with a group ``spared``: words that turn the phrase into something else
("please don't send us your password"). A phrase counts where that group is empty. Patterns are
matched against plain text (``loop.gates.words``) and repeat only a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["asks_secret", "promises", "tells"]


def _counts(patterns: Iterable[re.Pattern[str]], text: str) -> bool:
    """Whether a pattern is found in the plain text with nothing that spares it."""
    return any(match["spared"] is None for each in patterns for match in each.finditer(text))


# --- secrets ---------------------------------------------------------------------------------

_CARD: Final = r"(?:credit|debit|bank|payment|visa|master) ?card"
_CARTE: Final = r"carte (?:bancaire|bleue|de (?:credit|debit|paiement))"
_HIDDEN: Final = (
    r"(?:passwords?(?! (?:reset|change|recovery|link|page|help|instructions))|passcodes?"
    r"|pin(?: codes?| numbers?)?(?! (?:of|for))|card(?:'s)? (?:numbers?|details)|cvv|cvc"
    rf"|number (?:of|on) (?:your (?:[a-z]{{1,10}} )?card|the {_CARD})|(?:16|sixteen) digits"
    r"|(?:photo|picture|image|copy|scan)s? of (?:both sides of |the (?:front|back) of )?"
    rf"(?:your card|(?:your|the) {_CARD})"
    r"|(?:security|verification|confirmation|one-time|sms|otp) (?:pass)?codes?|otp"
    r"|one-time password|bank(?:ing)? (?:account )?(?:details|numbers?)|iban|(?:votre|un|le) rib"
    r"|(?:login|log-in|sign-in) details|credentials|social (?:security|insurance) number"
    r"|mots? de passe|numeros? (?:complets? )?de (?:(?:votre|la|ta|sa) )?carte"
    r"|chiffres de (?:votre|la|ta) carte"
    rf"|photos? de (?:votre carte\b(?! cadeau)|la {_CARTE})"
    r"|coordonnees bancaires|cryptogramme|numero de compte bancaire|numero d'assurance sociale"
    r"|code (?:de (?:securite|verification|confirmation)|pin|secret|a usage unique"
    r"|recu par (?:sms|texto))|identifiants de connexion|(?:vos|tes) identifiants(?! de commande))"
)
_SAYS_HIDDEN: Final = re.compile(rf"\b{_HIDDEN}\b")
_GIVE: Final = (
    r"(?:(?:send|tell|give|share|provide|supply|email|text|forward|include|confirm|write|type"
    r"|submit|upload|attach|read(?: out)?)"
    r"(?! (?:to )?(?:them|him|her|(?:your|the) bank(?! (?:account|details|card|number)))\b)"
    r"|(?:reply|respond|answer) with|let (?:us|me) (?:know|have)|(?:please|kindly|just) enter)"
)
_NOT_TO_US: Final = (
    r"(?! (?:on|at|via|through) (?:the|our) "
    r"(?:[a-z-]{1,10} ){0,2}(?:page|site|website|app|portal)\b)"
)
"""A password may be entered on the sign-in page."""
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
    r"(?<! vous )(?<!leur )(?:(?:envoye|communique|donne|indique|partage|precise|confirme|entre"
    r"|tape|note|laisse)[rz](?!-(?:leur|lui)\b)|transmett(?:re|ez)|fourni(?:r|ssez)|dites|dire"
    r"|parvenir|ecri(?:re|vez)|saisi(?:r|ssez)|joi(?:ndre|gnez)"
    r"|repond(?:re|ez) (?:avec|en donnant))"
)
"""Not "votre banque peut vous donner", not "donnez-leur"."""
_ENTRE: Final = (
    r"(?:[ -](?!(?:pas|jamais|sans|ni|mais|si|quand|comment|pour|afin|lien|vous|apres"
    r"|reinitialis\w+|chang\w+|envoye[rz]|donne[rz])\b)[^\s.!?;]{1,40}){0,10}?"
)
_PAS: Final = (
    r"(?<!\w)(?P<spared>(?:ne |n'|jamais |sans |inutile |evite[rz] |pas besoin )"
    r"(?:(?!hesit|oubli|manqu)[^\s.!?;,]{1,40} ){0,8}?(?:de |d')?)?"
)
_ASKS: Final = (
    re.compile(rf"{_DONT}\b{_GIVE}{_GAP} {_HIDDEN}\b{_NOT_TO_US}"),
    re.compile(rf"{_DONT}\b{_HIDDEN} (?:is|are) (?:needed|required|necessary)\b"),
    re.compile(
        rf"{_DONT}\b(?:need|require|requires|what(?:'s| is)|asking for|ask for"
        r"|(?:may|can|could) (?:i|we) (?:have|get))"
        rf"(?: (?:to know|to have|you to enter))?(?: (?:your|the|full|complete|current)){{1,3}}"
        rf"(?: [a-z]{{1,12}})? {_HIDDEN}\b"
    ),
    re.compile(rf"{_PAS}\b{_DONNEZ}{_ENTRE} {_HIDDEN}\b(?! sur (?:la |notre |le |l'))"),
    re.compile(rf"{_PAS}\b{_HIDDEN} (?:est|sont) (?:necessaire|requi|indispensable|obligatoire)"),
    re.compile(
        rf"{_PAS}\b(?:besoin (?:de |d')|quel(?:le)?s? (?:est|sont) |il (?:nous|me) faut "
        r"|(?:puis-je|pouvons-nous|pourrai[st]-je|pourrions-nous) (?:avoir|obtenir|connaitre) )"
        rf"(?:(?:votre|vos|le|la|les) ){{1,2}}{_HIDDEN}\b"
    ),
)


def asks_secret(text: str) -> bool:
    """Whether a plain text asks the customer for a password, a card number or the like."""
    return _SAYS_HIDDEN.search(text) is not None and _counts(_ASKS, text)


# --- promises --------------------------------------------------------------------------------

_PROMISE: Final = (
    re.compile(
        # A word that turns the refusal round ("no need", "cannot wait") or ends it is not jumped.
        r"(?<!\w)(?P<spared>(?:cannot|not|never|no|unable|without|(?:ca|wo|do|does|could)n't|ne|aucun"
        r"|pas|sans|you (?:have |had )?(?:asked|requested|mentioned|wanted?)|your request"
        r"|vous (?:avez )?(?:demand|mentionn|souhait)\w{1,4}|votre demande)"
        r"(?: (?!(?:we|i|we'll|i'll|nous|je|and|but|so|then|et|mais|donc|wait|worry|hesitate|only"
        r"|need|problem|trouble|doubt|issue|question|reason|besoin|probleme|souci|doute|seulement"
        r"|attendre|hesitez|inquietez)\b)[^\s.!?;,]{1,40}){0,5}? )?"
        r"\b(?:refund\w{0,4}|reimburs\w{1,6}|credit(?! card)\w{0,3}|compensat\w{1,4}"
        r"|discount\w{0,2}|vouchers?|goodwill|(?:pay|give|send|owe|grant|offer) you|pay back"
        r"|get back|money back"
        r"|you(?:'ll| will) (?:receive|get|have)"
        r"(?! (?:to|an? (?:answer|reply|e-?mail|message|update|label|link))\b)"
        r"|rembours\w{1,6}|dedommag\w{1,6}|indemnis\w{1,6}|vers(?:er|ons|erons)|remises?|rabais"
        r"|bons? d'achat|geste commercial|vous (?:recevrez|aurez)|vous rend(?:re|ons|rons))\b"
    ),
    re.compile(
        # Agreeing to what the customer asks for; the amount alone is then the promise.
        r"(?<!\w)(?P<spared>(?:cannot|can't|no|not|never|unable to|ne|pas) (?:[a-z]{1,12} ){0,2}?)?"
        r"\b(?:agreed|granted|you have (?:my|our) word|(?:i|we) (?:promise|guarantee|honou?r|accept"
        r"|agree)|(?:is|are|be) yours|(?:j'|nous )(?:accept|promett|garantiss)(?:e|ons)"
        r"|accordee?s?|promis|(?:est|sont|seront|sera) a vous)\b"
    ),
    re.compile(
        # A word that agrees, and the amount beside it or in the next sentence.
        r"(?<!\w)(?P<spared>not )?(?:yes|of course|certainly|gladly|good news|oui|d'accord|entendu"
        r"|bien sur|bonne nouvelle)\b ?[,:!.]? ?"
        r"(?:$|(?:the |your |les |vos |for )?[a-z]{0,3}[$€£]? ?[0-9])"
    ),
)
_TOLD: Final = re.compile(
    r"\b(?:you (?:have |had |were |also )?(?:asked|wrote|said|say|told|mention|report|paid|charged"
    r"|requested|want)|you(?:'ve)? been charged|your (?:request|message|ticket)|cannot|can't"
    r"|unable to|not able to|vous (?:avez |nous )?(?:ete debit|demand|ecri|dit|mentionn|pay|souhait"
    r"|indiqu|signal)|votre (?:demande|message)|ne (?:pouvons|peux|peut) pas)"
)


def promises(text: str) -> bool:
    """Whether a plain sentence promises money: refuses none, and repeats no request for it."""
    return _counts(_PROMISE, text)


def tells(text: str) -> bool:
    """Whether a plain sentence only repeats what the customer said or paid, or refuses."""
    return _TOLD.search(text) is not None
