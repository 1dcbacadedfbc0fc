"""An Edition that answers: golden plans judged and Kinds asked in the worlds that its packs bring.

Plans are judged directly, so that every finding can be seen; Kinds are asked of the service itself, which answers
from a folder that is gone afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from app.authoring.answers import Case
from app.authoring.golden import Plan
from app.authoring.plans import judge_texts, read_context
from app.edition import Edition
from app.errors import Code, Fault, PackError
from app.evaluate import PlanVerdicts
from app.exchange import simple_time
from app.exchange.asking import fresh_id, request_message, sent
from app.model import LOCAL
from app.nearest import did_you_mean
from app.rules import Domain, load
from app.service import Service
from app.settings import Settings
from app.world import World, describe, read_world

MORNING: Final = "2026-03-04T09:00:00Z"
"""When a Kind is asked where its case says no time."""


@dataclass
class Answering:
    """An Edition with the Worlds that its packs bring. Domains and Worlds are read once, when they are asked for."""

    edition: Edition
    _open: ExitStack
    _domains: dict[tuple[str, ...], Domain] = field(default_factory=dict)
    _worlds: dict[str, World] = field(default_factory=dict)

    def world(self, m_instance: str) -> World:
        """The World of an M-Instance as its pack brings it. Raises PackError."""
        if m_instance not in self._worlds:
            path = self._files().get(m_instance)
            if path is None:
                hint = did_you_mean(m_instance, self._files(), f"known: {', '.join(self._files()) or 'none'}")
                raise PackError(Fault(Code.PACK_MEMBER, f"no pack brings a world `{m_instance}`", hint=hint))
            facts = read_world(path)
            self._worlds[m_instance] = World.of(facts, self.domain(describe(facts).packs))
        return self._worlds[m_instance]

    def domain(self, packs: Iterable[str]) -> Domain:
        """What some packs know and decide by. Raises PackError."""
        named = tuple(packs)
        if named not in self._domains:
            self._domains[named] = load(self.edition, named)
        return self._domains[named]

    def judge(self, plan: Plan, *, seek_repairs: bool = True) -> PlanVerdicts:
        """The Verdicts of a plan, findings and all. Raises PackError."""
        world = self.world(plan.m_instance)
        user = world.names.iri(plan.user) if plan.user else None
        return judge_texts(
            plan.steps, world, world.domain, user, context=read_context(plan.context), seek_repairs=seek_repairs
        )

    def ask(self, case: Case) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """The Response to a case, after what comes before it in its dialogue, and its explanation."""
        dialogue = fresh_id()
        response: Mapping[str, Any] = {}
        for turn, asked in enumerate((*case.before, case.ask)):
            at = datetime.fromisoformat(str(asked.get("at", case.at) or MORNING))
            members = {name: value for name, value in asked.items() if name != "at"}
            query_id = fresh_id()
            time = simple_time(at, f"{query_id}-time").model_dump(mode="json", exclude_none=True)
            message = request_message(
                case.kind,
                case.m_instance,
                case.u_environment,
                case.session,
                members | {"QueryTime": time, "TurnIndex": turn},
                dialogue=dialogue,
                query_id=query_id,
            )
            response = json.loads(self._service.answer(sent(message), LOCAL))
        return response, json.loads(self._service.explanation(response["QueryID"], LOCAL))

    @cached_property
    def _service(self) -> Service:
        """The service, for all the worlds there are."""
        folder = self._open.enter_context(TemporaryDirectory(prefix="domain-access-"))
        packs = tuple(name for name in self.edition.names() if self.edition.worlds_of(name))
        return self._open.enter_context(Service.open(Settings(data=Path(folder), worlds=packs), self.edition))

    def _files(self) -> dict[str, Path]:
        """The file of each M-Instance, called as it is."""
        return {path.stem: path for name in self.edition.names() for path in self.edition.worlds_of(name)}


@contextmanager
def answering(edition: Edition) -> Iterator[Answering]:
    """An Edition that answers, as long as the context lasts."""
    with ExitStack() as opened:
        yield Answering(edition, opened)
