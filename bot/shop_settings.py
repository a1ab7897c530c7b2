"""The tables ``[shop]`` and ``[refunds]``: what is read, what is changed, and through what.

Secrets are never in them: a field names the variable of the environment that holds one.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from tools import HTTP_TRAITS, PRACTICE_IDS, STRIPE_API, FormRefused, GatewayTraits, IdForm, IdForms

__all__ = [
    "IdSettings",
    "RefundSettings",
    "ShopKind",
    "ShopSettings",
    "TraitSettings",
]

_HTTP_ONLY: Final = ("url", "auth_env", "ca_file", "traits", "ids")


def _named(value: Any) -> Any:
    if value == "":
        raise ValueError("is empty; name a path, or leave it out")
    return value


UserPath = Annotated[Path, BeforeValidator(_named), AfterValidator(Path.expanduser)]
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=100)]
Header = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]+$", max_length=100)]


class ShopKind(StrEnum):
    """The shops that come with the package. Any other name is a plug-in's."""

    PRACTICE = "practice"
    HTTP = "http"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class IdSettings(_Table):
    """One kind of id: a regular expression for a whole one, and words for people."""

    pattern: str
    words: str

    @model_validator(mode="after")
    def _is_usable(self) -> Self:
        try:
            self.form()
        except FormRefused as error:
            raise ValueError(str(error)) from None
        return self

    def form(self) -> IdForm:
        """Return the form."""
        return IdForm(self.pattern, self.words)


class TraitSettings(_Table):
    """What a service promises about writes, where that is not what the contract demands."""

    honours_keys: bool = HTTP_TRAITS.honours_keys
    key_lifetime_s: Annotated[int, Field(ge=0)] | None = HTTP_TRAITS.key_lifetime_s
    stores_failures: bool = HTTP_TRAITS.stores_failures
    retries_failed: bool = HTTP_TRAITS.retries_failed
    absence_provable: bool = HTTP_TRAITS.absence_provable
    settle_s: Annotated[int, Field(ge=0)] = HTTP_TRAITS.settle_s

    def traits(self) -> GatewayTraits:
        """Return the traits of the ``http`` gateway."""
        return GatewayTraits(name=HTTP_TRAITS.name, **self.model_dump())


class ShopSettings(_Table):
    """What the tools read and approvals change."""

    kind: str = Field(
        default=ShopKind.PRACTICE.value,
        min_length=1,
        description="`practice`, `http`, or the name of an installed plug-in.",
    )
    url: str | None = Field(
        default=None, description="`http`: the address of the service, `https://…`."
    )
    auth_env: Variable | None = Field(
        default=None,
        description="`http`: the variable that holds the secret the service knows us by.",
    )
    auth_header: Header = Field(
        default="Authorization", description="`http`: the header that carries it."
    )
    auth_prefix: str = Field(
        default="Bearer ", max_length=40, description="`http`: what stands before it."
    )
    ca_file: UserPath | None = Field(
        default=None, description="`http`: certificates to trust in place of the public ones."
    )
    timeout_s: float = Field(
        default=10.0, gt=0, le=300, description="`http`: longest wait for one read, in seconds."
    )
    traits: TraitSettings | None = Field(
        default=None,
        description="`http`: what the service promises about writes, where that is not what "
        "[the contract](shop_http.md) demands.",
    )
    ids: dict[Literal["ticket", "customer", "order", "payment"], IdSettings] = Field(
        default_factory=dict,
        description="`http`: the forms of its ids, each with `pattern` and `words`.",
    )

    @model_validator(mode="before")
    @classmethod
    def _kind_alone(cls, value: Any) -> Any:
        """Take ``shop = "practice"`` for a table with a kind alone."""
        return {"kind": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Self:
        if self.kind == ShopKind.HTTP and self.url is None:
            raise ValueError("kind http needs url")
        given = [name for name in _HTTP_ONLY if getattr(self, name)]
        if self.kind != ShopKind.HTTP and given:
            raise ValueError(f"{given[0]} is for kind http")
        return self

    @property
    def is_practice(self) -> bool:
        """Whether it is the practice shop, where nothing is at stake."""
        return self.kind == ShopKind.PRACTICE

    def id_forms(self) -> IdForms:
        """Return the forms of the ids; those that are not given are the practice shop's."""
        own = {name: each.form() for name, each in self.ids.items()}
        return IdForms(
            ticket=own.get("ticket", PRACTICE_IDS.ticket),
            customer=own.get("customer", PRACTICE_IDS.customer),
            order=own.get("order", PRACTICE_IDS.order),
            payment=own.get("payment", PRACTICE_IDS.payment),
        )


class RefundSettings(_Table):
    """Through what refunds go."""

    gateway: Literal["shop", "stripe"] = Field(
        default="shop", description="`shop`, or `stripe` for the payments of a Stripe account."
    )
    key_env: Variable = Field(
        default="STRIPE_API_KEY",
        description="`stripe`: the variable that holds a restricted key, which may write refunds "
        "and nothing else.",
    )
    api: str = Field(default=STRIPE_API, description="`stripe`: the address of the API.")
