"""The closed list of what can go wrong, and the one shape in which it is said.

An error means that a question could not be asked or a pack not be read; a negative verdict is never one.

    DomainAccessError(faults)
        MessageError        a message, its bytes or its members        (HTTP 400, 413, 415, 422)
        StateError          well formed, but not now or not here       (HTTP 404, 409, 410, 503)
        AccessError         who asks may not                           (HTTP 401, 403)
        StatementError      a Process Action statement that is no statement (a FaultyReq verdict, SEMANTICS 4)
        PackError           a rule, an Action, an ontology or a world that cannot be used
        SettingsError       settings that cannot be used (app/settings.py)

`Fault.where` is a JSON pointer for messages, `line:column` in a statement, `file:line` for packs.
Wording: lower case, no full stop, what the user wrote in backticks, MPAI's words.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Code(Enum):
    """Every fault there is: its code on the wire, its HTTP status (0: never on the wire alone), what it means."""

    NOT_JSON = ("not_json", 400, "the body is no JSON text")
    DUPLICATE_MEMBER = ("duplicate_member", 400, "an object names a member twice")
    TOO_LARGE = ("too_large", 413, "the message is larger, deeper or longer than is served")
    NOT_RDF = ("not_rdf", 400, "the body is no document of its RDF format")
    NOT_SPARQL = ("not_sparql", 400, "the text is no query or update of SPARQL 1.1")
    HALF_SENT = ("half_sent", 400, "the body ended before all of it had come")
    UNSUPPORTED_MEDIA_TYPE = ("unsupported_media_type", 415, "the body is of a type that is not served here")
    NOT_ACCEPTABLE = ("not_acceptable", 406, "none of the types accepted is served")
    METHOD_NOT_ALLOWED = ("method_not_allowed", 405, "the path does not serve this method")

    MISSING_MEMBER = ("missing_member", 422, "a required member is absent")
    UNKNOWN_MEMBER = ("unknown_member", 422, "a closed object has a member it does not know")
    WRONG_TYPE = ("wrong_type", 422, "a value is of another JSON type")
    WRONG_VALUE = ("wrong_value", 422, "a value is not one of those allowed")
    WRONG_FORMAT = ("wrong_format", 422, "a string lacks its format or pattern")
    OUT_OF_RANGE = ("out_of_range", 422, "a number, a length or a count is outside its bounds")
    WRONG_MODE = ("wrong_mode", 422, "a member of the other Mode is present, or one of this Mode is absent")
    TIME_CONFLICT = ("time_conflict", 422, "members of a SimpleTime contradict each other")
    REPEATED_STEP = ("repeated_step", 422, "two Process Actions have the same Step")
    MISSING_PROCESS_ACTIONS = ("missing_process_actions", 422, "Kind feasibility without ProcessActions")
    MISSING_METADATA = ("missing_metadata", 422, "DataXMData is absent though a message shall include it")
    WRONG_GRAPH = ("wrong_graph", 422, "a document or an update names a graph that is not its world's")
    WORLD_REFUSED = ("world_refused", 422, "the world would break its vocabulary, its shapes or its identifiers")
    UNKNOWN_RELEASE = ("unknown_release", 422, "the folder of releases has no such release")
    RELEASE_DAMAGED = ("release_damaged", 422, "a file of a release is missing, changed or not named by it")
    REQUIREMENT_NOT_MET = ("requirement_not_met", 422, "a release was made with another version of a pack")
    RELEASE_REFUSED = ("release_refused", 422, "what packs hold cannot be loaded")
    WRONG_CORRELATION = ("wrong_correlation", 422, "a Response does not belong to its Request")

    UNKNOWN_M_INSTANCE = ("unknown_m_instance", 404, "no such M-Instance is visible to the caller")
    UNKNOWN_U_ENVIRONMENT = ("unknown_u_environment", 404, "the M-Instance has no such U-Environment")
    UNKNOWN_ANSWER = ("unknown_answer", 404, "no Response has this QueryID")
    UNKNOWN_DIALOGUE = ("unknown_dialogue", 404, "no such dialogue is visible to the caller")
    UNKNOWN_USER = ("unknown_user", 404, "the M-Instance has no such User")
    NOT_FOUND = ("not_found", 404, "nothing is served at this path")
    UNKNOWN_GRAPH = ("unknown_graph", 404, "no such graph is visible to the caller")
    REFUSED_OPERATION = ("refused_operation", 403, "an operation of SPARQL that leads out of its world")
    VERSION_CHANGED = ("version_changed", 412, "what is there is not of the version the caller names")
    QUERY_ID_REUSED = ("query_id_reused", 409, "the QueryID was used in this dialogue for another Request")
    TURN_NOT_NEW = ("turn_not_new", 409, "the TurnIndex does not exceed the last one of the dialogue")
    NOTHING_BEFORE = ("nothing_before", 409, "no set of releases was active before")
    DIALOGUE_CLOSED = ("dialogue_closed", 410, "the dialogue was closed or has expired")
    QUERY_LIMIT = ("query_limit", 422, "a query needed more time, rows or memory than it is given")
    BUSY = ("busy", 503, "try again after the time given in Retry-After")

    MISDIRECTED = ("misdirected", 421, "the Host named is not served here")
    UNAUTHENTICATED = ("unauthenticated", 401, "a token is needed")
    FORBIDDEN = ("forbidden", 403, "the caller may not do this")

    NO_STATEMENT = ("no_statement", 0, "the text is no Process Action statement")

    PACK_UNREADABLE = ("pack_unreadable", 0, "a file of a pack is missing or has a syntax error")
    PACK_MEMBER = ("pack_member", 0, "a rule or Action file has a wrong or missing key")
    PACK_INCONSISTENT = ("pack_inconsistent", 0, "packs contradict themselves")
    UNDECLARED_TERM = ("undeclared_term", 0, "an IRI that no vocabulary declares")
    UNBOUND_VARIABLE = ("unbound_variable", 0, "a variable that nothing binds")
    DISCONNECTED_PATTERN = ("disconnected_pattern", 0, "a pattern that no pre-bound variable reaches")
    REFUSED_CONSTRUCT = ("refused_construct", 0, "SPARQL outside the pattern language")
    STATUS_NOT_RECEIVABLE = ("status_not_receivable", 0, "a PA Status that no Action of the rule may receive")
    CASE_MISSING = ("case_missing", 0, "a rule without a case that fires or without a near miss")
    WORLD_INCONSISTENT = ("world_inconsistent", 0, "a world breaks the vocabulary")

    STORE_UNUSABLE = ("store_unusable", 500, "the database is damaged, foreign or of a newer release")
    PORT_UNAVAILABLE = ("port_unavailable", 0, "the address or port to serve on cannot be had")
    NO_SERVER = ("no_server", 0, "no Domain Access answers where one was to be asked")
    DATA_FOLDER_IN_USE = ("data_folder_in_use", 0, "another process owns the data folder")
    INTERNAL = ("internal", 500, "a fault of the service itself")

    def __init__(self, code: str, http_status: int, meaning: str) -> None:
        self.code = code
        self.http_status = http_status
        self.meaning = meaning


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: which, where, by which clause, and what would be right."""

    code: Code
    message: str
    where: str = ""
    clause: str = ""
    hint: str = ""

    def as_json(self) -> dict[str, str]:
        """The wire form of a fault; members without a value are left out."""
        members = {
            "code": self.code.code,
            "message": self.message,
            "pointer": self.where,
            "clause": self.clause,
            "hint": self.hint,
        }
        return {name: value for name, value in members.items() if value or name in {"code", "pointer"}}


class DomainAccessError(Exception):
    """All the faults found, never only the first."""

    def __init__(self, *faults: Fault, retry_after_s: int | None = None) -> None:
        if not faults:
            raise ValueError("an error needs a fault")
        self.faults = faults
        self.retry_after_s = retry_after_s
        super().__init__("; ".join(f"{f.where}: {f.message}" if f.where else f.message for f in faults))

    @property
    def http_status(self) -> int:
        """The status of the first fault; one that never travels alone counts as 500."""
        return self.faults[0].code.http_status or 500


class MessageError(DomainAccessError):
    """A message that is no BKN-DAC Request (SEMANTICS 3)."""


class StateError(DomainAccessError):
    """A Request that does not fit the dialogue, the World or the time."""


class AccessError(DomainAccessError):
    """A caller without the right to ask."""


class StatementError(DomainAccessError):
    """A text that is no statement; `where` is the character span `from-to`, `hint` the text with `~~~^`."""


class PackError(DomainAccessError):
    """A pack that cannot be loaded."""


def problem(error: DomainAccessError) -> dict[str, object]:
    """The one error body of HTTP, MCP and `--json`: RFC 9457 problem details with every fault."""
    first = error.faults[0]
    return {
        "type": f"urn:domain-access:error:{first.code.code}",
        "title": first.code.meaning,
        "status": error.http_status,
        "detail": first.message,
        "errors": [fault.as_json() for fault in error.faults],
    }
