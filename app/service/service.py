"""A Request in, a Response out: the composition root (DESIGN 3: one feasibility Request).

read and check -> dialogue head (replay?) -> needs -> World's Situation -> answer -> durable turn -> bytes.
`needs` and `answer` are pure; this module alone reads the clock and calls the stores.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from types import TracebackType
from typing import Self
from uuid import uuid4

from app.commitments import Agreement, in_its_words
from app.dialogue import AS_SHIPPED, DialogueKey, Dialogues, Head, Turn, dialogue_closed
from app.edition import Edition
from app.errors import Code, Fault, StateError
from app.evaluate import bounds_of
from app.evaluate.provenance import as_turtle
from app.exchange import (
    AIMSource,
    DataExchangeMetadata,
    Request,
    Response,
    SessionContext,
    canonical,
    instant,
    read_request,
    read_session_context,
    read_session_user,
    simple_time,
    write_response,
)
from app.kinds import KINDS, Answered, Context, PastTurn, not_served
from app.kinds.agreement import agreement_needs, agreement_of, statuses_of, without_commitments
from app.model import Principal, Scope
from app.rules import Domain
from app.service.access import choices, require, visible, visible_world
from app.service.catalogue import Catalogue
from app.service.dialogues import described, unknown_dialogue
from app.service.domains import Domains
from app.service.operator import Operator
from app.service.releases import Releases, Running
from app.service.sets import confirm, edition_at, world_files
from app.settings import Settings
from app.situation import Needs, until_known
from app.vocab import TYPE, mmm
from app.world import Asked, Limits, Queries, World, Worlds

ATTEMPTS = 3
"""Evaluations of a turn before it is said to be busy: another turn of the dialogue came first each time."""

EXPIRY_PAUSE = timedelta(minutes=10)
"""How long none is sought after a search that found no expired dialogue."""

Clock = Callable[[], datetime]


class Service:
    """Answers Requests from loaded packs and worlds. Thread-safe; open once, close at the end."""

    def __init__(
        self,
        worlds: Worlds,
        queries: Queries,
        dialogues: Dialogues,
        settings: Settings,
        running: Running,
        shipped: Edition,
    ) -> None:
        self._worlds = worlds
        self._queries = queries
        self._dialogues = dialogues
        self._settings = settings
        self._clock: Clock = lambda: datetime.now(UTC)
        self.catalogue = Catalogue(worlds)
        self.operator = Operator(worlds, queries, lambda: self._clock())
        self.releases = Releases(settings, shipped, running, dialogues, worlds, lambda: self._clock())
        self._next_expiry = datetime.min.replace(tzinfo=UTC)

    @classmethod
    def open(
        cls,
        settings: Settings,
        edition: Edition | None = None,
        domain_of: Callable[[tuple[str, ...]], Domain] | None = None,
    ) -> Self:
        """Load the packs, open the worlds and the dialogues. The packs are the releases that are active, or as
        shipped; or those of an edition, whatever is active. `domain_of` gives the Domain of some packs where they are
        loaded already. Raises DomainAccessError with all faults.
        """
        settings.make_data_folder()
        dialogues = Dialogues.open(settings.database_url)
        try:
            active = dialogues.active() if edition is None else AS_SHIPPED
            shipped = edition or settings.edition
            releases, edition = edition_at(active, settings.releases_folder, shipped)
            limits = Limits(settings.query_seconds, settings.query_rows, settings.query_mib * 2**20)
            queries = Queries(settings.queries, limits)
            domains = Domains(edition, releases)
            worlds = Worlds(settings.data / "worlds", domain_of or domains, queries)
            worlds.open(
                world_files(settings.worlds, edition, settings.releases_folder), Asked("start", datetime.now(UTC))
            )
            confirm(releases)
        except BaseException:
            dialogues.close()
            raise
        for left in (settings.incoming, settings.queries):  # by a process that was killed: the folder is ours now
            shutil.rmtree(left, ignore_errors=True)
        return cls(worlds, queries, dialogues, settings, Running(active, domains), shipped)

    def close(self) -> None:
        """Close the dialogues and the worlds; what was answered is on disk already."""
        self.releases.close()
        self._dialogues.close()
        self._queries.close()
        self._worlds.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def answer(self, raw: bytes, principal: Principal) -> bytes:
        """The Response to a Request, stored before it is returned. Raises DomainAccessError with every fault."""
        require(principal, Scope.ASK)
        request = read_request(raw)
        world = self._world(request.MInstance, request.UEnvironment, principal)
        key = DialogueKey(request.MInstance, request.UEnvironment, request.SessionID, request.DialogID)
        digest = sha256(canonical(request)).hexdigest()
        turn_index = int(request.TurnIndex)
        for _ in range(ATTEMPTS):
            head = self._dialogues.head(key, request.QueryID, digest, turn_index)
            if isinstance(head, bytes):
                return head
            now = self._clock()
            self._expire(now)
            user = self._dialogues.user_of(request.MInstance, request.SessionID) or world.user_of(request.SessionID)
            agreement = self._agreement(request, world, head, user)
            answered, version = self._answered(request, world, head, agreement, user, principal, now)
            if answered.failure is not None and answered.failure.Nature == "transient":
                agreement = self._agreement(without_commitments(request), world, head, user)
                answered = answered.with_text("This turn is not kept, nor any commitment of it.")
            answered = answered.with_agreement(agreement)
            response = self._response(request, answered, agreement, world, version, now)
            body = write_response(response)
            if response.Failure is not None and response.Failure.Nature == "transient":
                return body
            turn = Turn(
                query_id=request.QueryID,
                body_hash=digest,
                turn_index=turn_index,
                response=body,
                response_query_id=response.QueryID,
                release=", ".join(world.domain.sources),
                world_version=version,
                time=now,
                explanation=_explanation(request, response, answered, agreement, version, now),
                retained=agreement.retained,
                released=agreement.released,
                since=agreement.since,
            )
            if self._dialogues.commit(key, head, turn):
                return body
        busy = Fault(Code.BUSY, f"other turns of the dialogue `{request.DialogID}` keep coming first")
        raise StateError(busy, retry_after_s=1)

    def explanation(self, query_id: str, principal: Principal, *, turtle: bool = False) -> bytes:
        """The explanation of a Response, by its QueryID, as JSON or as Turtle in PROV-O. Raises StateError
        `unknown_answer`.
        """
        require(principal, Scope.ASK)
        stored = self._dialogues.explanation(query_id, principal.sees)
        return as_turtle(json.loads(stored)) if turtle else stored

    def dialogue(self, key: DialogueKey, principal: Principal) -> bytes:
        """What a dialogue holds, as JSON. Raises StateError `unknown_dialogue`, `dialogue_closed`."""
        require(principal, Scope.ASK)
        record = self._dialogues.record(key) if principal.sees(key.m_instance) else None
        if record is None:
            raise unknown_dialogue(key)
        return described(key, record, record.latest + timedelta(days=self._settings.dialogue_days))

    def end_dialogue(self, key: DialogueKey, principal: Principal) -> None:
        """End a dialogue. Raises StateError `unknown_dialogue`, `dialogue_closed`."""
        self.dialogue(key, principal)
        if not self._dialogues.end(key, self._clock()):
            raise dialogue_closed(key)

    def set_session(self, session_id: str, raw: bytes, principal: Principal) -> bytes:
        """Set the User for whom a session asks, from `{MInstance, UEnvironment, User}` (SEMANTICS 2)."""
        require(principal, Scope.ASK)
        session = read_session_user(raw)
        world = self._world(session.MInstance, session.UEnvironment, principal)
        user = world.names.iri(session.User)
        held = world.slice_of(user)
        if mmm("Process") not in held.out.get(TYPE, ()):
            message = f"`{session.User}` is no Process of the M-Instance `{session.MInstance}`"
            near = self.catalogue.complete(session.MInstance, "entity", session.User, principal)
            hint = f"near: {', '.join(f'`{name}`' for name in near[:3])}" if near else "expected: its identifier"
            raise StateError(Fault(Code.UNKNOWN_USER, message, where="/User", hint=hint))
        self._dialogues.set_user(session.MInstance, session_id, session.UEnvironment, user)
        return json.dumps({"SessionID": session_id, **session.model_dump()}, ensure_ascii=False).encode()

    def set_action_context(self, session_id: str, raw: bytes, principal: Principal) -> bytes:
        """Set what a session keeps to, from `{MInstance, UEnvironment, SessionID, ActionContext}` or a BKN-PRC
        Response (SEMANTICS 7). Gives it back with what could not be read of it.
        """
        require(principal, Scope.ASK)
        given = read_session_context(raw, session_id)
        world = self._world(given.MInstance, given.UEnvironment, principal)
        bounds = bounds_of(given.ActionContext, world.domain, world.names)
        kept = given.model_dump_json(exclude_none=True)
        self._dialogues.set_context(given.MInstance, session_id, kept.encode())
        remarks = [*(failure.message for failure in bounds.failures), *bounds.notes]
        return json.dumps({**json.loads(kept), "Remarks": remarks}, ensure_ascii=False).encode()

    def m_instances(self, principal: Principal) -> tuple[str, ...]:
        """The M-Instances the caller may see."""
        return visible(self._worlds, principal)

    def places(self, principal: Principal) -> dict[str, tuple[str, ...]]:
        """The M-Instances the caller may see, each with its U-Environments."""
        worlds = {name: self._worlds.get(name) for name in self.m_instances(principal)}
        return {name: tuple(sorted(w.m_instance.u_environments)) for name, w in worlds.items() if w is not None}

    def next_turn(self, m_instance: str, u_environment: str, session_id: str, dialog_id: str) -> int:
        """The TurnIndex that a dialogue would take next. Raises StateError `dialogue_closed`."""
        head = self._head(m_instance, u_environment, session_id, dialog_id)
        return 0 if head.turn_index is None else head.turn_index + 1

    def commitments(
        self, m_instance: str, u_environment: str, session_id: str, dialog_id: str, principal: Principal
    ) -> dict[str, str]:
        """What a dialogue retains: identifier -> statement."""
        require(principal, Scope.ASK)
        visible_world(self._worlds, m_instance, principal, "/m_instance")
        head = self._head(m_instance, u_environment, session_id, dialog_id)
        return {each.commitment_id: each.statement for each in head.commitments}

    def ready(self) -> bool:
        """Whether Requests are answered: packs and worlds are loaded once this object exists."""
        return bool(self._worlds.names())

    def status(self) -> dict[str, object]:
        """What is loaded: packs by M-Instance, and the version of each World."""
        return {
            name: {"packs": list(world.domain.sources), "world_version": world.version}
            for name, world in sorted(self._worlds.served().items())
        }

    def _head(self, m_instance: str, u_environment: str, session_id: str, dialog_id: str) -> Head:
        key = DialogueKey(m_instance, u_environment, session_id, dialog_id)
        head = self._dialogues.head(key, str(uuid4()), "")
        assert isinstance(head, Head)  # a QueryID that nobody used has no Response
        return head

    def _expire(self, now: datetime) -> None:
        """Close the dialogues that have expired, once in a while and a few at a time."""
        if now < self._next_expiry:
            return
        closed = self._dialogues.expire(now - timedelta(days=self._settings.dialogue_days), now)
        self._next_expiry = now if closed else now + EXPIRY_PAUSE

    def _world(self, m_instance: str, u_environment: str, principal: Principal) -> World:
        world = visible_world(self._worlds, m_instance, principal, "/MInstance")
        environments = sorted(world.m_instance.u_environments)
        if u_environment not in environments:
            message = f"the M-Instance `{m_instance}` has no U-Environment `{u_environment}`"
            hint = choices(u_environment, environments)
            raise StateError(Fault(Code.UNKNOWN_U_ENVIRONMENT, message, "/UEnvironment", hint=hint))
        return world

    def _agreement(self, request: Request, world: World, head: Head, user: str | None) -> Agreement:
        situation = world.situation(agreement_needs(request, head.commitments, world.names, user))
        domain, before = world.domain, head.commitments
        return agreement_of(request, before, head.committed, domain, world.names, situation, user)

    def _answered(
        self,
        request: Request,
        world: World,
        head: Head,
        agreement: Agreement,
        user: str | None,
        principal: Principal,
        now: datetime,
    ) -> tuple[Answered, str]:
        """The answer, and the version of the World that it saw."""
        kind = KINDS.get(request.Kind)
        if kind is None:
            return not_served(request.Kind), world.version
        domain, names = in_its_words(world.domain, world.names, agreement)
        kept = self._dialogues.context_of(request.MInstance, request.SessionID)
        session = SessionContext.model_validate_json(kept) if kept is not None else None
        bounds = bounds_of(session.ActionContext if session is not None else None, domain, names)
        wanted = kind.needs(request, domain, names, user)
        past = self._past(request, head, kind.remembers)

        def answer(needs: Needs, may_fetch: bool) -> tuple[tuple[Answered, str], Iterable[str]]:
            situation = world.situation(needs)
            context = Context(
                principal=principal,
                user=user,
                domain=domain,
                names=names,
                situation=situation,
                commitments=agreement.kept,
                now=instant(request.QueryTime) or now,
                agreement=agreement,
                language=self._settings.language,
                bounds=bounds,
                may_fetch=may_fetch,
                past=past,
            )
            answered = kind.answer(request, wanted.read, context)
            return (answered, situation.version), answered.outside

        return until_known(bounds.needs(wanted.needs, domain), domain, answer)

    def _past(self, request: Request, head: Head, most: int) -> tuple[PastTurn, ...]:
        if not most or head.turn_index is None:
            return ()
        key = DialogueKey(request.MInstance, request.UEnvironment, request.SessionID, request.DialogID)
        return tuple(PastTurn(json.loads(said), json.loads(why)) for said, why in self._dialogues.recent(key, most))

    def _response(
        self,
        request: Request,
        answered: Answered,
        agreement: Agreement,
        world: World,
        version: str,
        now: datetime,
    ) -> Response:
        query_id = str(uuid4())
        time = simple_time(now, f"{query_id}-time")
        return Response(
            MInstance=request.MInstance,
            UEnvironment=request.UEnvironment,
            SessionID=request.SessionID,
            QueryID=query_id,
            QueryTime=time,
            RequestID=request.QueryID,
            DialogID=request.DialogID,
            TurnIndex=request.TurnIndex,
            Outcome=answered.outcome,
            Answer=answered.answer,
            CommitmentStatus=statuses_of(agreement),
            Feasibility=answered.feasibility,
            SourcesUsed=(*world.domain.sources, f"world {request.MInstance}@{version}"),
            Failure=answered.failure,
            DataXMData=DataExchangeMetadata(
                Header="PTF-DEM-V1.0",
                DataExchangeMetadataTime=time,
                DataID=query_id,
                DataType="PGM-KDA-V1.0",
                Source=(AIMSource(AIMID=self._settings.source_aimid),),
            ),
        )


def _explanation(
    request: Request, response: Response, answered: Answered, agreement: Agreement, version: str, now: datetime
) -> bytes:
    explanation = {
        "QueryID": response.QueryID,
        "RequestID": request.QueryID,
        "MInstance": request.MInstance,
        "DialogID": request.DialogID,
        "TurnIndex": int(request.TurnIndex),
        "Kind": request.Kind,
        "Question": request.Question,
        "Outcome": response.Outcome,
        "answered_at": now.isoformat(),
        "sources": list(response.SourcesUsed or ()),
        "world_version": version,
        **answered.explanation,
        **({"commitments": list(agreement.explanation)} if agreement.explanation else {}),
    }
    return json.dumps(explanation, ensure_ascii=False).encode()
