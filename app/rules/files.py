"""TOML files -> rules, Actions and needs; every fault of a file at once, each with the file and the key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from rapidfuzz import process

from app.errors import Code, PackError
from app.knowledge import Knowledge
from app.model import PAStatus, Preposition
from app.nearest import did_you_mean
from app.rules.compiled import Compiled, Reach, compile_effect
from app.rules.compiler import compile_pattern
from app.rules.forms import (
    PREBOUND,
    Action,
    Case,
    ComplementForm,
    EffectForm,
    Need,
    RepairForm,
    Rule,
    Wording,
)
from app.rules.pattern import parse, parse_template
from app.rules.syntax import Constant, Match, Op, Pattern, Var, variables
from app.rules.toml import TomlFile
from app.vocab import MMM, SUB_CLASS, TYPE, mmm

T = TypeVar("T")

_ACTION_KEYS = {
    "name", "older", "service", "clause", "complement", "statuses", "ours", "effect", "made", "rights_to", "withdraws"
}  # fmt: skip
_COMPLEMENT_KEYS = {
    "preposition", "kinds", "source", "role", "required", "unless", "repeatable", "need", "introduces", "type",
    "units",
}  # fmt: skip
_EFFECT_KEYS = {"when", "add", "remove", "increase", "decrease", "without", "written"}
_RULE_KEYS = {
    "title", "clause", "status", "actions", "need", "explain", "missing", "given", "when", "repair", "case", "builtin"
}  # fmt: skip
_REPAIR_KEYS = {"when", "replace", "by", "insert", "facts", "remove", "who", "text"}
_CASE_KEYS = {
    "name", "statement", "fires", "before", "add", "remove", "status", "reason", "user", "context", "commitments"
}  # fmt: skip
_WORDINGS = {"title", "explain", "missing", "about_text", "text"}
_TRANSLATION = re.compile(r"([a-z_]+)_([a-z]{2})")
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_NEED_KEYS = {"title", "clause", "explain", "about", "about_text"}


class Reader(TomlFile):
    """One file being read: gives its keys, notes its faults. `roles` are the pre-bound variables of Action files."""

    def __init__(self, path: Path, knowledge: Knowledge, source: str, roles: frozenset[str] = frozenset()) -> None:
        super().__init__(path)
        self.source = source
        self._knowledge = knowledge
        self.variables = PREBOUND | roles

    def get(self, members: Mapping[str, Any], name: str, kind: type[T], default: T | None = None) -> T:
        """A key of one type; without a default it must be there."""
        value = members.get(name, default)
        if not isinstance(value, kind) or (isinstance(value, str) and default is None and not value.strip()):
            found = "absent" if name not in members else f"`{value}`"
            self.fault(Code.PACK_MEMBER, f"`{name}` must be a {kind.__name__}, found {found}", name)
            return kind()
        return value

    def wording(
        self, members: Mapping[str, Any], name: str, default: str | None = None, key: str = "", of: Iterable[str] = ()
    ) -> Wording:
        """A template, its placeholders out of those it is `of`, and its translations, `name_it`, with the same."""
        english = self.get(members, name, str, default)
        others = {each[len(name) + 1 :]: self.get(members, each, str) for each in _translations(members, {name})}
        wanted = set(_PLACEHOLDER.findall(english))
        bound = set(of) or wanted
        for each in sorted(wanted - bound):  # and no translation is asked to repeat what is misspelt
            hint = did_you_mean(each, sorted(bound), f"bound: {', '.join(sorted(bound))}")
            self.fault(Code.UNBOUND_VARIABLE, f"nothing binds `{{{each}}}`", key or name, hint)
        for language, text in others.items() if wanted <= bound else ():
            given = set(_PLACEHOLDER.findall(text))
            if given != wanted:
                wrong = [f"lacks {{{each}}}" for each in sorted(wanted - given)]
                wrong += [f"adds {{{each}}}" for each in sorted(given - wanted)]
                message = f"`{name}_{language}` must have the placeholders of `{name}`: it {', '.join(wrong)}"
                self.fault(Code.PACK_MEMBER, message, key or f"{name}_{language}")
        return Wording(english, MappingProxyType(others))

    def keys(self, members: Mapping[str, Any], known: set[str], key: str) -> None:
        """Note keys that nothing reads; wordings may be there in further languages."""
        super().keys(members, known | _translations(members, known & _WORDINGS), key)

    def pattern(
        self,
        text: str | None,
        key: str,
        extra: Iterable[str] = (),
        changed: Iterable[str] = (),
        read: Mapping[str, Reach] = MappingProxyType({}),
    ) -> Compiled | None:
        """A compiled pattern; faults are noted and give None."""
        if not text:
            return None
        try:
            parsed = parse(text, self._knowledge.prefixes, f"{self.path}: {key}")
            self._declared(parsed, key)
            prebound = self.variables | set(extra)
            where = f"{self.path}: {key}"
            return compile_pattern(parsed, prebound, self._knowledge.hierarchical, where, changed, read)
        except PackError as error:
            self.faults.extend(error.faults)
            return None

    def template(self, text: str | None, key: str, bound: Iterable[str]) -> tuple[Match, ...]:
        """Triples to add or remove, over variables that have values."""
        if not text:
            return ()
        try:
            triples = parse_template(text, self._knowledge.prefixes, f"{self.path}: {key}")
        except PackError as error:
            self.faults.extend(error.faults)
            return ()
        self._declared(Pattern(triples), key)
        for name in sorted(variables(triples) - set(bound) - self.variables):
            self.fault(Code.UNBOUND_VARIABLE, f"nothing binds `?{name}`", key)
        return triples

    def kind(self, name: object, key: str) -> str:
        """A class IRI from `mmm:Name`, or `text`, `number`."""
        if name in {"text", "number"}:
            return str(name)
        prefix, _, local = str(name).partition(":")
        iri = self._knowledge.prefixes.get(prefix, "") + local
        if iri not in self._knowledge.vocabulary:
            self._undeclared(iri, key)
        return iri

    def _declared(self, pattern: Pattern, key: str) -> None:
        for predicate, term in _terms(pattern):
            known = self._knowledge.predicates if predicate else self._knowledge.vocabulary
            if term not in known and not (predicate and term in {TYPE, SUB_CLASS}) and not self._is_action(term):
                self._undeclared(term, key)

    def _is_action(self, term: str) -> bool:
        return term.startswith(MMM) and any(
            action_iri(p.stem) == term for p in self.path.parent.parent.glob("actions/*.toml")
        )

    def _undeclared(self, term: str, key: str) -> None:
        nearest = process.extractOne(term, list(self._knowledge.vocabulary), score_cutoff=80)
        hint = f"did you mean `{nearest[0]}`" if nearest else ""
        self.fault(Code.UNDECLARED_TERM, f"no vocabulary declares `{term}`", key, hint)


def _translations(members: Mapping[str, Any], names: set[str]) -> set[str]:
    """The keys that give one of some wordings in a further language."""
    return {key for key in members if (found := _TRANSLATION.fullmatch(key)) is not None and found[1] in names}


def action_iri(name: str) -> str:
    """The IRI of an Action: `Property Change` is mmm:PropertyChange."""
    return mmm(name.replace(" ", ""))


def roles_of(path: Path) -> frozenset[str]:
    """The pre-bound variables an Action file names, read ahead of the patterns that use them."""
    members = tomllib.loads(path.read_text(encoding="utf-8"))
    return frozenset(str(c["role"]) for c in members.get("complement", ()) if c.get("role"))


def read_action(path: Path, knowledge: Knowledge, source: str, roles: frozenset[str]) -> Action:
    """An Action file. Raises PackError with every fault."""
    r = Reader(path, knowledge, source, roles)
    m = r.members
    r.keys(m, _ACTION_KEYS, "")
    name = r.get(m, "name", str)
    if action_iri(name) != action_iri(path.stem):
        r.fault(Code.PACK_MEMBER, f"the Action `{name}` lies in a file `{path.name}`", "name")
    made = r.get(m, "made", dict, {})
    r.keys(made, {"name", "when"}, "made")
    made_when = r.pattern(made.get("when"), "made.when")
    complements = tuple(_complement(r, c, i) for i, c in enumerate(r.get(m, "complement", list, [])))
    given = {form.role for form in complements}
    for i, form in enumerate(complements):
        if form.unless and form.unless not in given:
            r.fault(Code.PACK_MEMBER, f"no complement has the role `{form.unless}`", f"complement {i + 1}.unless")
    spellings = {name, *r.get(m, "older", list, [])}
    effects = tuple(_effect(r, e, i, given, spellings) for i, e in enumerate(r.get(m, "effect", list, [])))
    made_names = _made_names(r, made, made_when)
    action = Action(
        name=name,
        iri=action_iri(name),
        service=r.get(m, "service", str),
        clause=r.get(m, "clause", str),
        complements=complements,
        published=tuple(r.status(s, "statuses") for s in r.get(m, "statuses", list, [])),
        ours={r.status(s, "ours"): str(why) for s, why in r.get(m, "ours", dict, {}).items()},
        effects=effects,
        older=tuple(r.get(m, "older", list, [])),
        made_names=made_names,
        made_when=made_when,
        rights_to=r.get(m, "rights_to", str, ""),
        withdraws=r.get(m, "withdraws", bool, False),
        source=source,
    )
    r.refuse()
    return action


def _made_names(r: Reader, made: dict[str, Any], when: Compiled | None) -> tuple[str, ...]:
    """The names, in order of preference, of what is made; each from one variable."""
    given = made.get("name", [])
    names = (given,) if isinstance(given, str) else tuple(map(str, given))
    known = r.variables | set(when.outputs if when else ())
    for name in names:
        found = _PLACEHOLDER.findall(name)
        if len(found) != 1 or found[0] not in known:
            r.fault(Code.PACK_MEMBER, f"`{name}` must be made from one variable that has a value", "made.name")
    return names


def _effect(r: Reader, members: dict[str, Any], i: int, roles: set[str], spellings: set[str]) -> EffectForm:
    key = f"effect {i + 1}"
    r.keys(members, _EFFECT_KEYS, key)
    without, written = r.get(members, "without", list, []), r.get(members, "written", list, [])
    for name in sorted(set(without) - roles):
        r.fault(Code.PACK_MEMBER, f"no complement has the role `{name}`", f"{key}.without")
    for name in sorted(set(written) - spellings):
        r.fault(Code.PACK_MEMBER, f"the Action is never written `{name}`", f"{key}.written")
    when = r.pattern(members.get("when"), f"{key}.when")
    bound = when.outputs if when else ()
    says: dict[str, tuple[Match, ...]] = {
        name: r.template(members.get(name), f"{key}.{name}", bound)
        for name in ("remove", "add", "increase", "decrease")
        if name in members
    }
    triples = tuple(match for matches in says.values() for match in matches)
    if not triples:
        r.fault(Code.PACK_MEMBER, "the effect changes nothing", key)
    subjects = variables(tuple(match.s for match in triples)) & set(bound)
    when = r.pattern(members.get("when"), f"{key}.when", changed=subjects) if subjects else when
    wanted = {*variables(triples), *(when.parameters if when else ())} - set(bound)
    apply = compile_effect(when, says, f"{r.path}: {key}")
    return EffectForm(when, apply, frozenset(wanted), frozenset(without), frozenset(written), says)


def _complement(r: Reader, members: dict[str, Any], i: int) -> ComplementForm:
    key = f"complement {i + 1}"
    r.keys(members, _COMPLEMENT_KEYS, key)
    try:
        preposition = Preposition(str(members.get("preposition")))
    except ValueError:
        r.fault(Code.PACK_MEMBER, f"`{members.get('preposition')}` is no preposition", key)
        preposition = Preposition.NIL
    return ComplementForm(
        preposition=preposition,
        kinds=tuple(r.kind(kind, key) for kind in r.get(members, "kinds", list)),
        source=r.get(members, "source", str),
        role=r.get(members, "role", str, ""),
        required=r.get(members, "required", bool, False),
        unless=r.get(members, "unless", str, ""),
        repeatable=r.get(members, "repeatable", bool, False),
        need=r.get(members, "need", str, ""),
        introduces=r.get(members, "introduces", bool, False),
        type=r.get(members, "type", bool, False),
        units=_units(r, r.get(members, "units", dict, {}), key),
    )


def _units(r: Reader, members: dict[str, Any], key: str) -> dict[str, Decimal]:
    """The units a number may have, each with its factor to the first, which is 1."""
    units: dict[str, Decimal] = {}
    for unit, factor in members.items():
        if isinstance(factor, bool) or not isinstance(factor, int | float) or factor <= 0:
            r.fault(Code.PACK_MEMBER, f"the factor of the unit `{unit}` must be a number above 0", f"{key}.units")
        else:
            units[unit] = Decimal(str(factor))
    return units


def read_rule(path: Path, knowledge: Knowledge, source: str, roles: frozenset[str]) -> Rule:
    """A rule file. Raises PackError with every fault."""
    r = Reader(path, knowledge, source, roles)
    m = r.members
    r.keys(m, _RULE_KEYS, "")
    builtin = r.get(m, "builtin", bool, False)
    pattern = None if builtin else r.pattern(r.get(m, "when", str), "when")
    if builtin and "when" in m:
        r.fault(Code.PACK_MEMBER, "a builtin rule has no pattern", "when")
    # a rule that meets a need is repaired where it did not fire: it has found nothing then
    found = pattern.outputs if pattern and "need" not in m else ()
    rule = Rule(
        id=path.stem,
        title=r.wording(m, "title"),
        clause=r.get(m, "clause", str),
        status=r.status(m.get("status"), "status"),
        explain=r.wording(m, "explain", of=(*pattern.parameters, *pattern.outputs, "action") if pattern else ()),
        pattern=pattern,
        actions=frozenset(r.get(m, "actions", list, [])),
        given=r.pattern(r.get(m, "given", str, ""), "given"),
        need=r.get(m, "need", str, ""),
        missing=r.wording(m, "missing", ""),
        repairs=tuple(_repair(r, repair, i, found) for i, repair in enumerate(r.get(m, "repair", list, []))),
        cases=tuple(_case(r, case, i) for i, case in enumerate(r.get(m, "case", list, []))),
        builtin=builtin,
        source=source,
        where=str(path),
    )
    if (rule.status is PAStatus.ACK) != bool(rule.need):
        r.fault(Code.PACK_MEMBER, "a rule with status Ack says which `need` it meets, and no other does", "need")
    for fires, wanted in ((True, "that fires"), (False, "that does not (the near miss)")):
        if not any(case.fires is fires for case in rule.cases):
            r.fault(Code.CASE_MISSING, f"the rule has no case {wanted}", "case")
    r.refuse()
    return rule


def _repair(r: Reader, members: dict[str, Any], i: int, found: tuple[str, ...]) -> RepairForm:
    key = f"repair {i + 1}"
    r.keys(members, _REPAIR_KEYS, key)
    when = r.pattern(members.get("when"), f"{key}.when", found)
    bound = (*found, *(when.outputs if when else ()))
    replace = members.get("replace")
    if replace is not None and replace not in list(Preposition):
        r.fault(Code.PACK_MEMBER, f"`{replace}` is no preposition", key)
        replace = None
    if sum((name in members for name in ("replace", "insert")), "facts" in members or "remove" in members) != 1:
        r.fault(Code.PACK_MEMBER, "a repair has one of `replace`, `insert` and World facts (`facts`, `remove`)", key)
    return RepairForm(
        when=when,
        replace=Preposition(replace) if replace else None,
        by=r.get(members, "by", str, ""),
        insert=r.get(members, "insert", str, ""),
        facts=r.template(members.get("facts"), f"{key}.facts", bound),
        remove=r.template(members.get("remove"), f"{key}.remove", bound),
        who=r.get(members, "who", str, ""),
        text=r.wording(members, "text", "", key),
    )


def _case(r: Reader, members: dict[str, Any], i: int) -> Case:
    key = f"case {i + 1}"
    r.keys(members, _CASE_KEYS, key)
    return Case(
        name=r.get(members, "name", str),
        statement=r.get(members, "statement", str),
        fires=r.get(members, "fires", bool),
        before=tuple(r.get(members, "before", list, [])),
        add=r.get(members, "add", str, ""),
        remove=r.get(members, "remove", str, ""),
        status=r.status(members["status"], key) if "status" in members else None,
        reason=tuple(r.get(members, "reason", list, [])),
        user=r.get(members, "user", str, ""),
        context=r.get(members, "context", dict, {}),
        commitments=tuple(r.get(members, "commitments", list, [])),
    )


def read_need(path: Path, knowledge: Knowledge, source: str, roles: frozenset[str]) -> Need:
    """A need file. Raises PackError with every fault."""
    r = Reader(path, knowledge, source, roles)
    m = r.members
    r.keys(m, _NEED_KEYS, "")
    need = Need(
        name=path.stem,
        title=r.wording(m, "title"),
        clause=r.get(m, "clause", str),
        explain=r.wording(m, "explain"),
        about=r.pattern(m.get("about"), "about"),
        about_text=r.wording(m, "about_text", ""),
        source=source,
        where=str(path),
    )
    r.refuse()
    return need


def _terms(item: object) -> Iterable[tuple[bool, str]]:
    """Every IRI of a pattern, and whether it stands as a predicate."""
    if isinstance(item, Match):
        yield from ((True, link.predicate) for link in item.path.links)
        yield from (pair for node in (item.s, item.o) for pair in _terms(node))
    elif isinstance(item, Constant):
        if isinstance(item.term, str):
            yield False, item.term
    elif isinstance(item, Op):
        yield from (pair for arg in item.args for pair in _terms(arg))
    elif isinstance(item, Pattern):
        yield from (pair for element in item.elements for pair in _terms(element))
    elif isinstance(item, tuple) and not isinstance(item, Var):
        yield from (pair for part in item for pair in _terms(part))
