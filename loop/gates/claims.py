"""What the rule gate reads a reply for: claims that something is done, in English and French.

Nothing is: a run only proposes. Each language is one pattern over plain text
(``loop.gates.words``): words that spare a claim ("whether a refund has been issued", "no refund
was sent"), then one form of the claim. Nothing in it repeats without a bound.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import Final

__all__ = ["Deed", "claims_action"]


class Deed(StrEnum):
    """What a reply can claim to be done, and what a shop can show to be done."""

    REFUND = "refund"
    CANCELLATION = "cancellation"
    REPLACEMENT = "replacement"
    LABEL = "label"


def claims_action(text: str, shown: AbstractSet[Deed] = frozenset()) -> bool:
    """Whether a plain text says that we did something, or that it has been done.

    ``shown`` are the deeds that the shop itself showed in this run (an earlier refund, a cancelled
    order): the passive form about these reports a fact. "We did" is a claim whatever is shown.
    """
    return any(
        match["spared"] is None and match.lastgroup not in shown
        for language in (_ENGLISH, _FRENCH)
        for match in language.finditer(text)
    )


def _claims(spared: str, we_did: str, articles: str, done: Mapping[str, str]) -> re.Pattern[str]:
    """Return the pattern of one language; the name of its last group is what is claimed."""
    passive = "|".join(f"(?P<{deed}>{form})" for deed, form in done.items())
    return re.compile(
        rf"(?<!\w)(?P<spared>{spared})?(?:(?P<we_did>{we_did})|{articles}(?:{passive}))\b"
    )


_WORD: Final = r"[^\s!?;:]{0,39}[^\s.!?;:,]"
"""One word of a phrase, or a number with decimals; it never ends a sentence."""
_ID: Final = r"[a-z]{1,6}-[0-9][0-9a-z-]{0,20}"

# --- English ---------------------------------------------------------------------------------

# Reference facts A5 spare "confirm", "whether", "when", "if". "We confirm that ..." does claim.
_OPEN: Final = (
    r"(?:whether|when|whenever|if|once|until|after|before|unless|as soon as|as long as|in case"
    r"|provided|assuming|by the time|no"
    r"|(?:will|[a-z]{1,5}'ll|cannot|can't|couldn't|could not|(?:un|not |not yet )able to"
    r"|you|please) confirm"
    r"|(?:says?|said|mentioned|shows?|showed|stated|told you))(?: that)? "
)
_NOW: Final = (
    r"(?:(?:already|just|now|also|successfully|fully|since|then|both|gone ahead and"
    r"|went ahead and) ){0,3}"
)
_A: Final = (
    r"(?:(?:a|an|any|the|this|that|these|your|our|you|to|out|full|partial|complete|prepaid|free"
    r"|return|shipping|delivery|second|extra|new|for) ){0,5}"
)
_OF: Final = (
    r"(?: (?:of|for|to|on|in|at|worth|from)"
    r"(?: (?!(?:if|once|when|whether|after|until|which|that|who|can|will|would|may|must|should"
    rf"|has|have|was|were|is|are)\b){_WORD}){{1,8}}?)?"
)
_BEEN: Final = rf"(?:(?:'s| has| have) {_NOW}been| was| were| (?:is|are) (?:now|already)) {_NOW}"
_WE_DID: Final = (
    r"(?:we|i|(?:our|the|my) (?:[a-z]{1,15} )?(?:team|department|colleagues?|agents?))"
    rf"(?:'ve| have| has|'d| had)? {_NOW}"
    r"(?:refunded|reimbursed|credited|issued|processed|approved|cancell?ed|reshipped|re-?sent"
    r"|reversed|authori[sz]ed|initiated|replaced|waived|(?:changed|updated|amended) (?:your|the|it)"
    r"|made the change|returned (?:your|the) (?:money|payment|amount)"
    r"|(?:sent|created|shipped|ordered|arranged|emailed|mailed|generated|attached|made|placed"
    r"|dispatched|booked|scheduled|put through|pushed through|completed|finali[sz]ed|granted|given"
    rf"|added|taken care of) {_A}(?:refunds?|reimbursements?|credits?|vouchers?|discounts?|labels?"
    r"|replacements?|reshipments?|cancellations?|exchanges?|pickups?|new (?:one|item|order))"
    r"(?! (?:requests?|proposals?|forms?|enquir|questions?)))"
)
_USUALLY: Final = (
    r"\b(?! (?:within|in|under|to|by|on|after|before|when|whenever|once|only|if|as|every|at"
    r"|back)\b)"
)
"""Not followed by what makes it a habit: "a refund is processed within 5 days"."""
_ON_ITS_WAY: Final = rf" (?:is|are) {_NOW}(?:on (?:its|the|their) way|under ?way)"
_ENGLISH: Final = _claims(
    _OPEN,
    _WE_DID,
    _A,
    {
        Deed.REFUND: (
            rf"(?:refunds?|reimbursements?|credits?){_OF}{_BEEN}(?:issued|processed|approved|sent"
            r"|made|completed|initiated|authori[sz]ed|granted|paid|applied|credited)"
            rf"|refunds?{_OF}(?:{_ON_ITS_WAY}| (?:has gone|went|came|is) {_NOW}through)"
            rf"|refund{_OF} is {_NOW}(?:completed?|done|finished|processed|approved|issued|sent)"
            rf"{_USUALLY}"
            rf"|(?:charges?|payments?|amounts?|money|fees?){_OF}{_BEEN}(?:returned|waived)"
            rf"|money is (?:already |now )?back|consider {_A}(?:order|payment|fee)s? refunded"
            r"|(?:charges?|payments?|amounts?|money|fees?|orders?|items?|difference|card|account"
            rf"|{_ID}){_OF}{_BEEN}(?:refunded|reimbursed|credited|reversed)"
            rf"|you(?:'ve| have| were)(?: {_NOW}been)? {_NOW}(?:refunded|reimbursed|credited)"
        ),
        Deed.REPLACEMENT: (
            r"(?:replacements?(?: [a-z]{1,20}){0,3}?|reshipments?|exchanges?"
            rf"|new (?:one|item|parcel)){_OF}(?:{_BEEN}(?:sent|shipped|dispatched|ordered|arranged"
            rf"|approved|issued|processed|created|placed|booked)|{_ON_ITS_WAY})"
            rf"|(?:items?|orders?|{_ID}){_BEEN}replaced"
            rf"|(?:[a-z]{{1,20}} ){{0,2}}(?:[a-z]{{1,20}}|{_ID}){_BEEN}(?:reshipped|re-?sent)"
        ),
        Deed.LABEL: (
            rf"labels?{_OF}(?:{_BEEN}(?:sent|created|emailed|mailed|issued|generated|attached"
            rf"|approved|arranged|prepared)| (?:is|are) (?:attached|enclosed|below)|{_ON_ITS_WAY})"
            rf"|find (?:attached {_A}labels?|{_A}labels? (?:attached|enclosed|below))"
            rf"|attached (?:is|are|you(?:'ll| will| can)? find) {_A}labels?"
        ),
        Deed.CANCELLATION: (
            rf"(?:orders?|subscription|delivery|return|account|booking|purchase|items?|{_ID}){_OF}"
            rf"(?:{_BEEN}| is | are )cancell?ed|consider {_A}order cancell?ed"
        ),
        "change": (
            rf"(?:orders?|address|account|delivery|slot|subscription|{_ID}){_OF}{_BEEN}"
            r"(?:changed|updated|amended)"
            rf"|(?:request|claim|return|cancellation|exchange){_OF}{_BEEN}"
            r"(?:approved|processed|accepted|granted|completed)"
        ),
    },
)

# --- French ----------------------------------------------------------------------------------

_SI: Final = (
    r"(?:si |s'|quand |(?:pas(?: encore)?(?: vous)? confirmer que|pas(?: encore)?(?: vous)?"
    r" confirmer qu|lorsque|lorsqu|des que|des qu|une fois que|une fois qu|apres que|apres qu"
    r"|avant que|avant qu|tant que|tant qu|indique que|indiquait que|disait que)[ '])"
)
_DEJA: Final = r"(?:(?:deja|bien|maintenant|egalement|aussi|immediatement|donc) ){0,2}"
_LE: Final = (
    r"(?:(?:le|la|les|un|une|des|ce|cette|votre|vos|notre|au|aux|a|de|du|nouvelle|nouveau|nouvel"
    r"|complet|total|partiel|second|deuxieme) |l'|d'){0,5}"
)
_DE: Final = (
    r"(?: (?:complet|total|integral|partiel|prepaye)e?s?)?"
    r"(?: (?:de|du|des|pour|sur|d'un|d'une)"
    r"(?: (?!(?:si|quand|lorsque|apres|qui|que|dont|sera|seront|peut|doit|a|ont|est|sont)\b)"
    rf"{_WORD}){{1,8}}?)?"
)
_ETE: Final = (
    rf"(?: (?:vous )?(?:a|ont) {_DEJA}ete| (?:vient|viennent) (?:de vous |d')etre"
    rf"| (?:est|sont) (?:deja|desormais|maintenant|bien)) {_DEJA}"
)
_D_HABITUDE: Final = (
    r"\b(?! (?:sous|dans|en|apres|avant|par|a|au|sur|des|lorsque?|quand|une fois|si|uniquement"
    r"|seulement|chaque)\b)"
)
"""As in English: "le remboursement est effectué sous 5 jours" tells a habit."""
_EN_ROUTE: Final = r" (?:est|sont) (?:deja |bien )?(?:en (?:route|chemin|cours de route)|parti)e?s?"
_CHOSE: Final = (
    r"(?:remboursement|etiquette|bordereau|remplacement|renvoi|annulation|echange|enlevement"
    r"|article de remplacement|nouvel article)s?"
)
_NOUS_AVONS: Final = (
    r"(?:(?:j'ai|je (?:vous |l'|les )ai|nous (?:vous |l'|les )?avons|on (?:vous |l'|les )?a"
    rf"|(?:notre |l')equipe (?:[a-z]{{1,15}} )?(?:vous |l'|les )?a) {_DEJA}"
    r"(?:(?:rembourse|credite|traite|approuve|annule|autorise|remplace|renvoye|reexpedie|accorde"
    r"|recredite|restitue)e?s?|emise?s?"
    r"|(?:modifie|change|corrige|mis a jour) (?:votre|vos|le|la|les|l')"
    r"|(?:envoye|expedie|cree|genere|effectue|emis|valide|lance|initie|procede|commande|organise"
    rf"|fait(?: parvenir)?|joint|adresse|transmis)e?s? {_LE}{_CHOSE})"
    r"|(?:nous venons|je viens) (?:de |d')(?:vous |l'|les )?"
    r"(?:rembourser|crediter|traiter|approuver|annuler|modifier|changer|remplacer|renvoyer"
    r"|reexpedier|(?:envoyer|expedier|creer|emettre|effectuer|valider|proceder|lancer)"
    rf" {_LE}{_CHOSE}))"
)
_FRENCH: Final = _claims(
    _SI,
    _NOUS_AVONS,
    _LE,
    {
        Deed.REFUND: (
            rf"(?:remboursement|avoir|credit)s?{_DE}{_ETE}(?:(?:effectue|traite|approuve|envoye"
            r"|valide|autorise|accorde|verse|initie|lance)e?s?|emise?s?|faits?)"
            rf"|remboursement{_DE}(?:{_EN_ROUTE}| est (?:effectue|traite|approuve|envoye|valide"
            rf"|accorde|termine|emis|fait){_D_HABITUDE})"
            r"|bons? d'achat(?: vous)? (?:a|ont) ete (?:accorde|envoye|emi|credite)s?"
            r"|(?:commande|achat|paiement|montant|somme|frais|article|compte|carte|debit|argent"
            rf"|{_ID})s?{_DE}{_ETE}(?:rembourse|credite|recredite|restitue|rendu|reverse)e?s?"
            rf"|(?:commande|achat|paiement|montant|{_ID})s?{_DE} (?:est|sont) rembourse"
            rf"e?s?{_D_HABITUDE}"
            rf"|vous avez {_DEJA}ete {_DEJA}(?:rembourse|credite)e?s?"
        ),
        Deed.REPLACEMENT: (
            r"(?:(?:article|colis|produit)s? de remplacement|remplacements?|nouvel article"
            r"|nouveau colis"
            rf"|echanges?|renvois?){_DE}(?:{_ETE}(?:(?:envoye|expedie|cree|commande|organise"
            rf"|approuve|valide|traite|effectue)e?s?|faits?)|{_EN_ROUTE})"
            rf"|(?:article|commande|produit|colis|{_ID})s?(?: manquante?s?)?{_ETE}"
            r"(?:remplace|reexpedie|renvoye)e?s?"
        ),
        Deed.LABEL: (
            rf"(?:etiquette|bordereau)[sx]?{_DE}(?:{_ETE}(?:(?:envoye|cree|genere|prepare|approuve"
            r"|valide|expedie)e?s?|emise?s?|jointe?s?)"
            rf"| (?:est|sont) (?:jointe?s?|ci-jointe?s?)|{_EN_ROUTE})"
            r"|(?:vous trouverez|trouvez|veuillez trouver) (?:ci-jointe?|en piece jointe|joint)e?s?"
            rf" {_LE}(?:etiquette|bordereau)[sx]?"
            r"|(?:etiquette|bordereau)[sx]? (?:de [a-z]{1,12} )?(?:ci-jointe?s?|en piece jointe)"
            rf"|ci-jointe?s? {_LE}(?:etiquette|bordereau)[sx]?"
        ),
        Deed.CANCELLATION: (
            rf"(?:commande|achat|livraison|abonnement|retour|reservation|{_ID})s?{_DE}"
            rf"(?:{_ETE}| est | sont )annulee?s?"
            rf"|annulations?{_DE} (?:est|sont) (?:faite|effectuee|validee|confirmee)s?{_D_HABITUDE}"
        ),
        "change": (
            rf"(?:commande|adresse|compte|livraison|creneau|abonnement|{_ID})s?{_DE}{_ETE}"
            r"(?:(?:modifie|change|corrige)e?s?|mise?s? a jour)"
            rf"|(?:demande|reclamation|retour|annulation)s?{_DE}{_ETE}"
            r"(?:approuve|traite|accepte|accorde|valide|effectue)e?s?"
        ),
    },
)
