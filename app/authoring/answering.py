"""An Edition that answers: golden plans judged and Kinds asked in the worlds that its packs bring.

Plans are judged directly, so that every finding can be seen; Kinds are asked of the service itself, which answers
from a folder that is gone afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from app.authoring.answers import MORNING, Case
from app.authoring.golden import Plan
from app.authoring.plans import judge_texts, read_context
from app.edition import CORE, Edition
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


@dataclass
class Answering:
    """An Edition with the Worlds that its packs bring. Domains and Worlds are read once, when they are asked for;
    Kinds are asked in the Worlds of the packs `served`.
    """

    edition: Edition
    _open: ExitStack
    served: tuple[str, ...]
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
        named = tuple(pack for pack in packs if pack != CORE)  # which every Domain has
        if named not in self._domains:
            self._domains[named] = load(self.edition, named)
        return self._domains[named]

    def decided_by(self, change: Callable[[Domain], Domain]) -> Answering:
        """The same with every Domain that was asked for changed: plans are judged by it, Kinds not asked."""
        domains = {packs: change(domain) for packs, domain in self._domains.items()}
        of = {id(domain): domains[packs] for packs, domain in self._domains.items()}
        worlds = {name: World(w.m_instance, w.store, of[id(w.domain)]) for name, w in self._worlds.items()}
        return Answering(self.edition, self._open, (), domains, worlds)

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
        packs = tuple(name for name in self.served if self.edition.worlds_of(name))
        return self._open.enter_context(
            Service.open(Settings(data=Path(folder), worlds=packs), self.edition, self.domain)
        )

    def _files(self) -> dict[str, Path]:
        """The file of each M-Instance, called as it is."""
        return {path.stem: path for name in self.edition.names() for path in self.edition.worlds_of(name)}


@contextmanager
def answering(edition: Edition, served: Iterable[str] | None = None) -> Iterator[Answering]:
    """An Edition that answers, as long as the context lasts; of Kinds in the Worlds of all its packs or of some."""
    with ExitStack() as opened:
        yield Answering(edition, opened, edition.names() if served is None else tuple(served))
