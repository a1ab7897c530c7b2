"""Claims of a deed in a reply, and what only looks like one."""

from __future__ import annotations

import pytest

from loop.gates.claims import Deed, claims_action
from loop.gates.words import plain

CLAIMS = [
    "A full refund of 500 dollars has been approved and sent today.",
    "We have refunded your card.",
    "We've already issued a refund.",
    "I have gone ahead and cancelled your order.",
    "We cancelled order LK-123456.",
    "Your refund has been processed.",
    "Your refund of $129.00 for the parasol has been issued.",
    "Your refund was approved.",
    "You have been refunded 37.45 CAD.",
    "You've already been credited.",
    "Our returns team has approved your request.",
    "A replacement has been sent.",
    "Your replacement lamp has been shipped.",
    "Your replacement is on its way.",
    "A prepaid return label has been emailed to you.",
    "Your return label is attached.",
    "We have emailed you a return label.",
    "We've sent you a replacement.",
    "Your order has been cancelled.",
    "Your order is now cancelled.",
    "Order LK-644112 has been cancelled.",
    "The delivery fee of 9.95 dollars has been refunded.",
    "The second charge on your card was reversed.",
    "I can confirm that your refund has been issued.",
    "We confirm a refund has been issued.",
    "We\u2019ve changed your delivery slot.",
    "Your address has been updated.",
    "Your return request has been approved.",
    "I've just reshipped the planter.",
    "Nous avons remboursé votre commande.",
    "Nous vous avons remboursé 83,95 $.",
    "Nous l'avons annulée.",
    "J\u2019ai annulé votre commande.",
    "Je vous ai envoyé une étiquette de retour.",
    "Nous venons de vous rembourser.",
    "Nous venons d'annuler votre commande.",
    "Nous venons d'émettre un remboursement.",
    "Votre remboursement a été effectué.",
    "Le remboursement de 83,95 $ a bien été approuvé.",
    "Un remboursement complet a déjà été émis.",
    "Votre commande a été annulée.",
    "Votre commande est annulée.",
    "Votre commande LK-266415 a été remboursée.",
    "Une étiquette de retour vous a été envoyée.",
    "Une étiquette de retour a été envoyée.",
    "L'étiquette est jointe à ce message.",
    "Un article de remplacement a été expédié.",
    "Votre remplacement est en route.",
    "Vous avez été remboursé.",
    "Nous avons procédé au remboursement.",
    "Nous avons procédé à l'annulation de votre commande.",
    "Nous avons modifié votre adresse.",
    "Votre adresse a été mise à jour.",
    "Votre demande a été approuvée.",
    "Nous avons traité votre remboursement.",
    "L'équipe a remboursé la commande.",
    "Un nouvel article vous a été envoyé.",
    "Good news, your refund is on its way.",
    "The refund is complete.",
    "Your refund went through yesterday.",
    "As you asked, the refund is processed.",
    "The refund is now approved.",
    "Your money is back on the card.",
    "The amount was returned to your account.",
    "Your missing parcel has been reshipped.",
    "I've put through a refund of 20.00.",
    "We have given you a discount.",
    "We've waived the fee for you.",
    "You'll find the return label attached.",
    "Attached is your label.",
    "Consider your order cancelled.",
    "Votre achat est remboursé.",
    "Le remboursement vient d'être traité.",
    "Votre remboursement est approuvé.",
    "Le remboursement est en route.",
    "Vous trouverez ci-joint votre étiquette de retour.",
    "Veuillez trouver en pièce jointe le bordereau.",
    "Nous vous avons fait parvenir une étiquette.",
    "Le montant vous a été restitué.",
    "Le colis de remplacement est parti hier.",
    "Votre annulation est confirmée.",
]
NO_CLAIMS = [
    "We can\u2019t refund the parasol without receiving it back.",
    "Unused items can be returned within 30 days for a full refund after we receive them.",
    "The team will confirm whether a refund has been issued.",
    "Please confirm whether a refund has been issued.",
    "We will let you know when a refund has been approved.",
    "If your refund has been approved, it takes 5 to 10 days.",
    "No refund has been issued yet.",
    "Your refund has not been issued yet.",
    "We have not refunded anything.",
    "Once we have approved the refund, we send it within 2 business days.",
    "Refunds are sent to the original payment method within 2 business days.",
    "Your garden shed has shipped, but a delivery date is not available yet.",
    "Your order was delivered on 18 September.",
    "Your order is on its way.",
    "A refund can be made once the item has been sent back.",
    "A replacement will be sent after approval.",
    "We have proposed a refund; a person will decide.",
    "The refund for an item that has been sent back takes 5 days.",
    "You mentioned that your refund was processed.",
    "You said your refund has been approved.",
    "We have noted your request for a return label.",
    "We have received your return.",
    "We can't cancel the order until it has been approved.",
    "Your order has not been cancelled.",
    "We have asked a colleague to look at it.",
    "Nous allons vérifier si un remboursement a été émis.",
    "Nous vous dirons quand le remboursement aura été effectué.",
    "Aucun remboursement n'a été effectué.",
    "Votre commande n'a pas été annulée.",
    "Nous n'avons pas remboursé votre commande.",
    "Votre commande est indiquée comme expédiée; nous allons vérifier son suivi.",
    "Votre commande a été expédiée le 28 septembre.",
    "Le remboursement est effectué sous 5 jours ouvrables.",
    "Nous ne pouvons pas confirmer qu'un remboursement a été émis.",
    "Une fois que le remboursement a été approuvé, comptez 5 jours.",
    "Lorsqu'un remboursement a été approuvé, il faut 5 jours.",
    "Nous avons bien reçu votre message.",
    "Nous avons transmis votre demande à un collègue.",
    "Un remplacement sera envoyé après validation.",
    "Nous avons expédié votre commande le 28 septembre.",
    "As soon as the refund has been approved, you get an e-mail.",
    "As soon as your missing parcel has been reshipped, we write to you.",
    "A refund is processed within 5 days.",
    "The refund is sent to the card that you paid with.",
    "Refunds are processed daily.",
    "You'll find the label on the box.",
    "We have sent your refund request to a colleague.",
    "The item was returned to us in September.",
    "Le remboursement est validé par une personne.",
    "Dès que votre remboursement est validé, vous recevez un courriel.",
    "Les achats sont remboursés après contrôle.",
    "Si votre commande est remboursée, vous le verrez sur la page.",
]


@pytest.mark.parametrize("text", CLAIMS)
def test_a_claim_is_seen(text: str) -> None:
    assert claims_action(plain(text))


@pytest.mark.parametrize("text", NO_CLAIMS)
def test_what_is_no_claim_is_not_seen(text: str) -> None:
    assert not claims_action(plain(text))


@pytest.mark.parametrize(
    ("text", "deed"),
    [
        ("The second charge was refunded on 3 October.", Deed.REFUND),
        ("Votre remboursement a été approuvé le 2 octobre.", Deed.REFUND),
        ("Your order was cancelled on 16 September.", Deed.CANCELLATION),
        ("Une étiquette de retour a été envoyée le 2 octobre.", Deed.LABEL),
        ("A replacement was sent on 2 October.", Deed.REPLACEMENT),
    ],
)
def test_what_the_shop_showed_may_be_reported(text: str, deed: Deed) -> None:
    others = frozenset(Deed) - {deed}

    assert not claims_action(plain(text), frozenset({deed}))
    assert claims_action(plain(text), others)


@pytest.mark.parametrize("text", ["We have refunded your order.", "Nous avons annulé la commande."])
def test_our_own_deed_is_a_claim_whatever_the_shop_showed(text: str) -> None:
    assert claims_action(plain(text), frozenset(Deed))
