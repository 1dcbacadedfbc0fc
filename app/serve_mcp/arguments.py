"""The arguments of tools: plain words, lists and identifiers instead of a message (DESIGN 7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model
from pydantic_core import PydanticCustomError

from app.errors import Code, Fault, MessageError
from app.kinds import Kind
from app.nearest import did_you_mean
from app.serve_mcp.schemas import optional

_CODES: Final = {"datetime": Code.WRONG_FORMAT, "timezone": Code.WRONG_FORMAT}
_CLAUSE: Final = "Model Context Protocol, tools: arguments"

Name = Annotated[str, Field(min_length=1, max_length=2_000)]
Words = Annotated[list[Annotated[str, Field(min_length=1, max_length=8_000)]], Field(min_length=1, max_length=200)]


def _text(value: object) -> object:
    """A number is no time here, whatever it could stand for."""
    if not isinstance(value, str):
        raise PydanticCustomError("string_type", "input should be a valid string")
    return value


Time = Annotated[AwareDatetime, BeforeValidator(_text), Field(strict=False)]


class Arguments(BaseModel):
    """What a tool takes; what it does not know is refused."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra=optional)


class Where(Arguments):
    """Of whom a tool is called, and in which dialogue."""

    dialogue: Name | None = Field(
        None,
        description="The dialogue to go on with, as an earlier answer gave it, or a new name of yours. "
        "Without it a new one begins, and the answer names it.",
    )
    m_instance: Name | None = Field(None, description="The M-Instance asked about. Default: the one served here.")
    u_environment: Name | None = Field(None, description="The U-Environment of the User. Default: the first one.")
    session: Name | None = Field(None, description="The SessionID of the A-User. Default: one for each dialogue.")
    user: Name | None = Field(
        None, description="Whose Rights count, and who acts where a statement names no Process. Kept for the session."
    )


class Common(Where):
    """What the tool of every Kind takes besides."""

    time: Time | None = Field(None, description="When, with its offset from UTC: 2026-12-01T10:00:00Z. Default: now.")


_FIELDS: Final[Mapping[str, tuple[str, Any]]] = {
    "Question": (
        "question",
        (
            Name | None,
            Field(None, description="In words; alone, its words say what is asked about. Answered in its language."),
        ),
    ),
    "Terms": (
        "terms",
        (Words | None, Field(None, description="Words, one entry each: kinds of things, by any of their names.")),
    ),
    "EntityIDs": (
        "entities",
        (Words | None, Field(None, description="Single things, by their identifiers in the M-Instance.")),
    ),
    "Space": ("space", (Name | None, Field(None, description="A place and all that is in it, by its identifier."))),
    "ProcessActions": (
        "plan",
        (Words, Field(description="Process Action statements in order, one entry a step; steps count from 0.")),
    ),
    "Commitments": (
        "commitments",
        (
            Annotated[dict[Name, Name], Field(max_length=200)] | None,
            Field(None, description="What to retain for the dialogue: an identifier of yours -> the statement."),
        ),
    ),
    "ReleasedCommitmentIDs": (
        "release",
        (Words | None, Field(None, description="Identifiers of commitments that need not be kept any longer.")),
    ),
}
"""The members of a Request that a tool may take, each with its plain form."""

MEMBERS: Final = tuple(_FIELDS)


def arguments_of(kind: Kind[Any]) -> type[Common]:
    """The arguments of the tool of a Kind: what the Kind takes, and where to go on in a long answer."""
    fields: dict[str, Any] = dict(_FIELDS[member] for member in (*kind.takes, "Commitments", "ReleasedCommitmentIDs"))
    offset = Field(
        0, ge=0, le=100_000, description="To go on where an answer was cut, repeat the call with its `next_offset`."
    )
    return create_model(f"{kind.name}_arguments", __base__=Common, **fields, offset=(int, offset))


def members_of(given: Common) -> dict[str, object]:
    """The members of a Request that stand for plain arguments; absent ones are left out."""
    plain = given.model_dump(exclude_none=True)
    found: dict[str, object] = {}
    for member, (name, _) in _FIELDS.items():
        if name in plain:
            found[member] = _member(member, plain[name])
    return found


def read_arguments(form: type[Arguments], given: Mapping[str, Any] | None) -> Arguments:
    """Arguments as they were meant. Raises MessageError with every fault."""
    try:
        return form.model_validate(dict(given or {}))
    except ValidationError as error:
        raise MessageError(*_faults(error, form)) from error


def _member(member: str, value: Any) -> object:
    match member:
        case "Terms":
            return [{"Text": text} for text in value]
        case "Space":
            return {"SpaceID": value}
        case "ProcessActions":
            return [{"Step": step, "Statement": statement} for step, statement in enumerate(value)]
        case "Commitments":
            return [{"CommitmentID": name, "Statement": statement} for name, statement in value.items()]
    return value


def _faults(error: ValidationError, form: type[BaseModel]) -> Iterable[Fault]:
    known = list(form.model_fields)
    for each in error.errors(include_url=False):
        where = "".join(f"/{part}" for part in each["loc"])
        kind, name = each["type"], str(each["loc"][0])
        if kind == "extra_forbidden":
            hint = did_you_mean(name, known, f"known: {', '.join(known)}")
            yield Fault(Code.UNKNOWN_MEMBER, f"there is no argument `{name}`", where, _CLAUSE, hint)
        elif kind == "missing":
            hint = form.model_fields[name].description or "" if name in form.model_fields else ""
            yield Fault(Code.MISSING_MEMBER, f"the argument `{name}` is absent", where, _CLAUSE, hint)
        else:
            code = Code.WRONG_TYPE if kind.endswith("_type") else _CODES.get(kind.split("_")[0], Code.OUT_OF_RANGE)
            hint = form.model_fields[name].description or "" if name in form.model_fields else ""
            message = f"`{name}` cannot be read: {each['msg'][:1].lower()}{each['msg'][1:]}"
            yield Fault(code, message, where, _CLAUSE, hint)
