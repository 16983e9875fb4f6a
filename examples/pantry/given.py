"""What is known of a service, however it is kept: what was given, to whom, and what became of a voucher."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import BaseModel, Field, NaiveDatetime

from pksk import Attribute

__all__ = ["CATEGORIES", "FOOD", "REPORTED", "Category", "Given", "Household", "ReportRow", "Status", "Usda"]

Category: TypeAlias = Literal[
    "Food_Pantry", "Clothes_Closet", "Administration", "Back_To_School", "Thanksgiving", "Christmas"
]
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
FOOD: Final[Category] = "Food_Pantry"
Status: TypeAlias = Literal["Client", "NonClient", "Inactive"]
Usda: TypeAlias = Literal["USDA", "NonUSDA", "Emergency", "NA"]

# What the reports show; one more column is a new projection, and the index must be made again.
REPORTED: Final = [
    "cId", "cGivName", "cFamName", "cStatus", "cZip", "cStreet", "cEthnicGrp", "homeless",
    "adults", "children", "seniors", "individuals",
    "svcName", "svcTypeId", "svcItems", "svcUSDA", "svcFirst", "svcValid",
]  # fmt: skip


class Household(BaseModel):
    """What is copied from the client, as it was on the day of the service."""

    given_name: Annotated[str, Attribute("cGivName")] = ""
    family_name: Annotated[str, Attribute("cFamName")] = ""
    client_status: Annotated[Status, Attribute("cStatus")] = "Client"
    postcode: Annotated[str, Attribute("cZip")] = ""
    street: Annotated[str, Attribute("cStreet")] = ""
    ethnic_group: Annotated[str, Attribute("cEthnicGrp")] = ""
    homeless: bool = False
    adults: int = 0
    children: int = 0
    seniors: int = 0
    individuals: int = 0


class Given(Household):
    """A service. Attributes have short names: every item has all of them."""

    client_id: Annotated[str, Attribute("cId")]
    at: Annotated[NaiveDatetime, Attribute("svcDT")]
    service_id: Annotated[str, Attribute("svcId")]
    category: Annotated[Category, Attribute("svcCat")]
    type_id: Annotated[str, Attribute("svcTypeId")]
    name: Annotated[str, Attribute("svcName")] = ""
    buttons: Annotated[Literal["Primary", "Secondary"], Attribute("svcBtns")] = "Primary"
    usda: Annotated[Usda, Attribute("svcUSDA")] = "NA"
    first: Annotated[bool, Attribute("svcFirst")] = False
    valid: Annotated[bool, Attribute("svcValid")] = True
    items: Annotated[int, Attribute("svcItems"), Field(ge=1)] = 1
    served_by: Annotated[str, Attribute("svcBy")] = ""
    updated_at: Annotated[NaiveDatetime | None, Attribute("svcUpdatedDT")] = None
    # There from the day that a voucher is given until it is filled, and then gone. A flag that is always there, true
    # or false, would keep every service in the index; and DynamoDB takes no BOOL as a key.
    fill_pending: Annotated[Literal["PENDING"] | None, Attribute("fillPending")] = None
    fill_voucher: Annotated[str | None, Attribute("fillVoucher")] = None
    filled_at: Annotated[NaiveDatetime | None, Attribute("fillDT")] = None
    filled_by: Annotated[str | None, Attribute("fillBy")] = None
    filled_items: Annotated[int | None, Attribute("fillItems"), Field(ge=1)] = None


class ReportRow(Household):
    """What a report shows of a service: the attributes that the index holds."""

    client_id: str
    type_id: str
    name: str = ""
    usda: str = "NA"
    first: bool = False
    valid: bool = True
    items: int = 1
