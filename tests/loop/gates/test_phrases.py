"""Requests for secrets and promises of money in a reply, and what only looks like one."""

from __future__ import annotations

import pytest

from loop.gates.phrases import asks_secret, promises, tells
from loop.gates.words import plain

ASKS = [
    "Please send us your password.",
    "Please reply with your password so we can sign in.",
    "Could you tell us your full card number?",
    "Please give me your card number and the security code.",
    "Please send us your name, address and credit card number.",
    "We need your password to unlock the account.",
    "What is your card number?",
    "Can you share the number on your card?",
    "Don't worry, just send us your password.",
    "Please do not hesitate to send us your card number.",
    "Don't send us your card, send us your password.",
    "Please confirm your password.",
    "Can I have your PIN?",
    "Veuillez nous envoyer votre mot de passe.",
    "Envoyez-nous votre mot de passe.",
    "Pouvez-vous nous communiquer votre numéro de carte ?",
    "N'hésitez pas à nous envoyer votre mot de passe.",
    "Merci d'indiquer votre numéro de carte bancaire et le code de sécurité.",
    "Quel est votre mot de passe ?",
    "Nous avons besoin de votre numéro de carte.",
    "Donnez-nous vos coordonnées bancaires.",
    "Let us know your password so that we can check.",
    "Please enter your PIN below.",
    "Could you write down your card number for us?",
    "Type your password here.",
    "Please answer with your card number.",
    "We need a picture of your bank card: please send a photo of your credit card.",
    "Please forward your bank account number.",
    "Can you give us your IBAN?",
    "Please tell me the one-time code that you received.",
    "Your card number is needed for this.",
    "Could you read out the security code on the back of your card?",
    "Répondez avec votre mot de passe.",
    "Écrivez-nous le numéro de votre carte, soit votre numéro de carte complet.",
    "Pouvons-nous avoir votre numéro de carte ?",
    "Indiquez-nous vos identifiants.",
    "Merci de nous transmettre votre RIB.",
    "Veuillez saisir votre mot de passe dans votre réponse.",
    "Envoyez-nous une photo de votre carte bancaire.",
    "Donnez-nous le code reçu par SMS.",
    "Votre numéro de carte est nécessaire.",
]
ASKS_NOTHING = [
    "Please don\u2019t send us your password or full card number.",
    "please don't send us your password",
    "Please do not send your password.",
    "We will never ask you to send your password.",
    "Never share your password with anyone.",
    "We'll send you a link to reset your password.",
    "We will send a password reset email.",
    "Please send your order number and not your card number.",
    "Please tell us whether resetting your password worked.",
    "Let us know if your password reset email arrives.",
    "If you need to reset your password, use the link on the sign-in page.",
    "You don't need to give your card number.",
    "Send us the order ID, but don't send your password.",
    "Go to the sign-in page and choose Forgot password.",
    "Our team can help with your password.",
    "Please confirm whether the card was declined.",
    "We don't need your card number.",
    "Please send a photo of the box.",
    "ne nous envoyez pas votre mot de passe",
    "Ne nous envoyez jamais votre numéro de carte.",
    "Merci de ne pas nous envoyer votre mot de passe.",
    "Nous ne vous demanderons jamais de nous communiquer votre mot de passe.",
    "Nous allons vous envoyer un lien pour réinitialiser votre mot de passe.",
    "Inutile de nous donner votre numéro de carte.",
    "Vous pouvez réinitialiser votre mot de passe depuis la page de connexion.",
    "Envoyez-nous le numéro de commande, jamais votre mot de passe.",
    "Please call your bank and give them your card number.",
    "Give your bank the card number.",
    "Let us know whether the password works.",
    "Please enter your password on the sign-in page.",
    "No card number is needed.",
    "Please send a photo of the gift card holder and a pin of the parasol.",
    "Votre banque peut vous donner le numéro de carte.",
    "Appelez votre banque et donnez-leur votre numéro de carte.",
    "Veuillez saisir votre mot de passe sur la page de connexion.",
    "Puis-je avoir votre numéro de commande ?",
]


@pytest.mark.parametrize("text", ASKS)
def test_a_request_for_a_secret_is_seen(text: str) -> None:
    assert asks_secret(plain(text))


@pytest.mark.parametrize("text", ASKS_NOTHING)
def test_what_asks_for_no_secret_is_not_seen(text: str) -> None:
    assert not asks_secret(plain(text))


@pytest.mark.parametrize(
    "text",
    [
        "We will refund 500 dollars.",
        "No problem, we'll refund 500 dollars.",
        "You will receive 50 dollars.",
        "As you asked, we will credit 50 dollars.",
        "Nous allons vous rembourser 50 $.",
        "Vous recevrez 50 $.",
        "Un remboursement de 50 $ sera proposé.",
        "No need to send it back, and a refund of 50 dollars follows.",
        "We cannot wait to refund the 50 dollars.",
        "There is no doubt about your refund of 50 dollars.",
        "It is no trouble to refund you.",
        "Not only will we refund you 50 dollars.",
        "You asked for a refund of 50 dollars: granted.",
        "Yes, 50 dollars.",
        "Yes!",
        "The 50 dollars are yours.",
        "50 dollars, you have our word.",
        "We honour the 50 dollars.",
        "You will get 50 dollars.",
        "Bonne nouvelle : 50 $.",
        "Les 50 $ sont à vous.",
        "Nous acceptons les 50 $.",
        "Pas besoin de le renvoyer, et un remboursement de 50 $ suivra.",
    ],
)
def test_a_promise_is_seen(text: str) -> None:
    assert promises(plain(text))


@pytest.mark.parametrize(
    "text",
    [
        "We cannot refund the 129.00 dollars without the item.",
        "You asked for a refund of 500 dollars.",
        "I see the charge of 74.50.",
        "Nous ne pouvons pas rembourser les 50 $.",
        "Vous avez demandé un remboursement de 50 $.",
        "Your credit card was charged 74.50.",
        "Yes, we see that you were charged 74.50.",
        "We can't accept the 50 dollars.",
        "You will get an answer about the 74.50.",
        "Votre paiement de 74,50 $ a été accepté par la banque.",
    ],
)
def test_a_refusal_or_an_echo_is_no_promise(text: str) -> None:
    assert not promises(plain(text))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("You wrote that 77.77 was charged.", True),
        ("You were charged 74.50.", True),
        ("We cannot give the 50 dollars.", True),
        ("Vous avez été débité de 74,50 $.", True),
        ("It is 50 dollars.", False),
    ],
)
def test_what_only_repeats_or_refuses_is_told_apart(text: str, told: bool) -> None:
    assert tells(plain(text)) is told
