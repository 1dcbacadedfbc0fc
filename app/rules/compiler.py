"""A pattern -> a Python function over facts, once, at load (DESIGN 5).

Pre-bound variables are arguments, substituted everywhere, nested groups included. The compiler orders the parts of a
group so that each starts from something bound, and refuses what no pre-bound variable reaches; the same walk gives
`Reach`: what a Situation must fetch so that the function never reads outside it.

The meaning is SPARQL's where SPARQL gives the same answer inside out and outside in; where it would not (a FILTER in
a branch over a variable bound outside it, a second BIND of a variable), the pattern is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NoReturn

from app.errors import Code, Fault, PackError
from app.rules.compiled import Compiled, Reach, every_of, near, row_of
from app.rules.functions import FUNCTIONS, divide, less, number, truth
from app.rules.group import Group
from app.rules.syntax import (
    Bind,
    Constant,
    Exists,
    Expr,
    Filter,
    Link,
    Match,
    Node,
    Path,
    Pattern,
    Union,
    Var,
    is_bound,
    is_plain,
    variables,
)  # fmt: skip
from app.vocab import TYPE

Element = Match | Filter | Exists | Bind | Union


def compile_pattern(
    pattern: Pattern,
    prebound: Iterable[str],
    hierarchical: frozenset[str],
    where: str,
    changed: Iterable[str] = (),
    read: Mapping[str, Reach] = MappingProxyType({}),
) -> Compiled:
    """Compile. Raises PackError naming the variable, predicate or construct that is refused.

    `changed` are the variables whose entities an effect changes: they must be fetched, though nothing reads them.
    `read` is what whoever runs the pattern reads from its variables besides.
    """
    touched = {name: Reach({(Link(TYPE),): Reach()}) for name in changed}
    return _Compiler(frozenset(prebound), hierarchical, where).whole(pattern, {**touched, **read})


class _Compiler:
    def __init__(self, prebound: frozenset[str], hierarchical: frozenset[str], where: str) -> None:
        self._prebound = prebound
        self._hierarchical = hierarchical
        self._where = where
        self._functions: list[str] = []
        self._names: dict[str, object] = {
            "less": less,
            "number": number,
            "divide": divide,
            "truth": truth,
            "near": near,
        }
        self._hidden = 0
        self._positive: list[Match] = []
        self._possible: list[Match] = []
        self._branch = 0
        self._negative: list[Pattern] = []

    def whole(self, pattern: Pattern, read: Mapping[str, Reach]) -> Compiled:
        used = sorted(variables(pattern) & self._prebound)
        roots = {name: Reach() for name in used}
        group = Group(set(used), {name: [root] for name, root in roots.items()}, set(used))
        self._elements(group, pattern, top=True)
        for name, further in read.items():
            for node in group.reached.get(name, ()):
                node.merge(further)
        named = sorted(v for v in group.bound - set(used) if not v.startswith("_"))
        hidden = sorted(v for v in group.bound if v.startswith("_"))
        group.write(f"rows.setdefault({row_of(named)}, {row_of(hidden)})")
        head = ["def rule(facts" + "".join(f", v_{name}" for name in used) + "):", "    rows = {}"]
        source = "\n".join([*self._functions, *head, "    O = facts.objects; S = facts.subjects", *group.lines])
        source += "\n    return rows\n" + every_of(used)
        exec(compile(source, f"<{self._where}>", "exec"), self._names)  # source is ours, terms are constants
        run, every = self._names["rule"], self._names["every"]
        assert callable(run)
        assert callable(every)
        return Compiled(
            tuple(used),
            tuple(named),
            tuple(hidden),
            run,
            every,
            roots,
            tuple(self._positive),
            tuple(self._possible),
            tuple(self._negative),
            source,
        )

    def _elements(self, group: Group, pattern: Pattern, *, top: bool) -> None:
        """Write every element, the cheapest that is ready first."""
        pending: list[Element] = [part for element in pattern.elements for part in self._plain(element)]
        own = set().union(*(self._binds(element) for element in pending))
        bindable = group.bound | own
        visible = own | group.local | self._prebound
        for element in pending:
            self._check(element, group, visible)
        self._check_order(pending, group, visible)
        uses = [variables(element) for element in pending]
        while pending:
            awaited = {e.var.name for e in pending if isinstance(e, Bind)}
            ready = [
                (cost, i)
                for i, e in enumerate(pending)
                if (isinstance(e, Bind) or not uses[i] & awaited)
                and (cost := self._cost(e, uses[i], group, bindable)) is not None
            ]
            if not ready:
                self._unreachable(pending, group)
            at = min(ready)[1]
            element = pending.pop(at)
            del uses[at]
            if top and isinstance(element, Match):
                (self._positive if self._branch == 0 else self._possible).append(element)
            if top and isinstance(element, Exists) and element.negated:
                self._negative.append(element.pattern)
            self._write(element, group, top=top)
            if maybe := group.maybe & set().union(*uses):
                self._fail(Code.UNBOUND_VARIABLE, f"bind `?{min(maybe)}` in every branch of the UNION, or only there")

    def _plain(self, element: Element) -> list[Element]:
        """A path as matches of one link each; the nodes between get hidden variables."""
        if not isinstance(element, Match) or element.path.alternative or len(element.path.links) == 1:
            return [element]
        nodes: list[Node] = [element.s]
        for _ in element.path.links[1:]:
            self._hidden += 1
            nodes.append(Var(f"_{self._hidden}"))
        nodes.append(element.o)
        return [Match(nodes[i], Path((link,)), nodes[i + 1]) for i, link in enumerate(element.path.links)]

    def _binds(self, element: Element) -> set[str]:
        """The variables an element is sure to bind."""
        if isinstance(element, Match):
            return variables((element.s, element.o))
        if isinstance(element, Bind):
            return {element.var.name}
        if isinstance(element, Union):
            return set.intersection(*(self._surely(branch) for branch in element.branches))
        return set()

    def _surely(self, pattern: Pattern) -> set[str]:
        return set().union(*(self._binds(element) for element in pattern.elements))

    def _check(self, element: Element, group: Group, visible: set[str]) -> None:
        """Refuse a condition over what its own group does not bind: SPARQL would not see it there."""
        if isinstance(element, Filter | Bind):
            wanted = variables(element.expr)
            if missing := sorted(wanted - visible):
                self._fail(Code.UNBOUND_VARIABLE, f"nothing binds `?{missing[0]}` in this group")
        if isinstance(element, Bind) and element.var.name in self._prebound | group.bound:
            self._fail(Code.REFUSED_CONSTRUCT, f"`?{element.var.name}` is bound already")
        if isinstance(element, Exists):
            outer = variables(element.pattern) & group.bound - visible
            if outer:
                self._fail(Code.UNBOUND_VARIABLE, f"bind `?{min(outer)}` in the branch whose EXISTS uses it")
        if isinstance(element, Match):
            for link in element.path.links:
                if link.least is not None and link.predicate not in self._hierarchical:
                    message = f"`*` and `+` walk hierarchical predicates only, and `{link.predicate}` is none"
                    self._fail(Code.REFUSED_CONSTRUCT, message)

    def _check_order(self, elements: list[Element], group: Group, visible: set[str]) -> None:
        """Refuse what SPARQL answers by the order written: a BIND of something later or of a variable used before,
        and an EXISTS over what a UNION beside it may or may not bind.
        """
        bound, used = group.local | self._prebound, set[str]()
        for element in elements:
            if isinstance(element, Bind):
                if later := sorted(variables(element.expr) - bound):
                    self._fail(Code.UNBOUND_VARIABLE, f"`?{later[0]}` is bound only after the BIND that reads it")
                if element.var.name in used:
                    self._fail(Code.REFUSED_CONSTRUCT, f"`?{element.var.name}` stands before its BIND")
            if not isinstance(element, Filter | Exists):
                used |= variables(element)
                bound = bound | self._binds(element)
        doubtful = used - visible
        for element in elements:
            if isinstance(element, Exists) and (maybe := doubtful & variables(element.pattern)):
                self._fail(Code.UNBOUND_VARIABLE, f"bind `?{min(maybe)}` in every branch of the UNION, or only there")

    def _cost(self, element: Element, uses: set[str], group: Group, bindable: set[str]) -> int | None:
        """How dear an element, which uses some variables, is now; None where it cannot start yet."""
        bound = group.bound
        if isinstance(element, Filter | Bind):
            return 0 if variables(element.expr) <= bound else None
        if isinstance(element, Exists):
            return (1 if is_plain(element) else 3) if uses & bindable <= bound else None
        if isinstance(element, Union):
            return 8 if uses & bindable & bound or not uses else None
        s_bound, o_bound = is_bound(element.s, bound), is_bound(element.o, bound)
        walked = any(link.least is not None for link in element.path.links)
        inverse = element.path.links[0].inverse
        if s_bound and o_bound:
            return 4 if walked else 1
        if s_bound:
            return (5 if walked else 3 if element.path.alternative else 2) + 4 * inverse
        if o_bound and isinstance(element.o, Var):
            return (7 if walked else 6) - 4 * inverse
        return None

    def _write(self, element: Element, group: Group, *, top: bool) -> None:
        if isinstance(element, Filter):
            group.write(f"if {self._condition(element.expr, group)}:", deeper=True)
        elif isinstance(element, Bind):
            group.write(f"v_{element.var.name} = {self._term(element.expr, group)}")
            same = group.reached.get(element.expr.name, []) if isinstance(element.expr, Var) else []
            self._bind(group, element.var.name, list(same))
        elif isinstance(element, Exists):
            call = self._subgroup((element.pattern,), group, group.local | group.bound, exists=True, top=False)[0]
            group.write(f"if {'not ' if element.negated else ''}{call}:", deeper=True)
        elif isinstance(element, Union):
            call, exported = self._subgroup(element.branches, group, set(), exists=False, top=top)
            targets = "".join(f"v_{name}, " for name in exported)
            group.write(f"for {targets or '_'} in {call}:" if exported else f"if {call}:", deeper=True)
        else:
            self._match(element, group)

    def _match(self, element: Match, group: Group) -> None:
        links = element.path.links
        if is_bound(element.s, group.bound):
            start, end = element.s, element.o
        else:
            start, end = element.o, element.s
            links = tuple(link._replace(inverse=not link.inverse) for link in links)
        if isinstance(start, Constant) and any(link.inverse for link in links):
            self._fail(Code.DISCONNECTED_PATTERN, f"`{start.term}` is no start for an inverse predicate")
        reached = self._reached(start, group)
        further = [node.follow(links) for node in reached]
        read = self._read(self._node(start), links)
        if is_bound(end, group.bound):
            group.write(f"if {self._node(end)} in {read}:", deeper=True)
            return
        assert isinstance(end, Var)
        group.write(f"for v_{end.name} in {read}:", deeper=True)
        self._bind(group, end.name, further)

    def _read(self, start: str, links: tuple[Link, ...]) -> str:
        link = links[0]
        if len(links) > 1:
            return f"near(facts, {start}, {self._constant(links)})"
        predicate = self._constant(link.predicate)
        if link.least is not None:
            return f"facts.walk({start}, {predicate}, inverse={link.inverse}, least={link.least})"
        return f"S({predicate}, {start})" if link.inverse else f"O({start}, {predicate})"

    def _subgroup(
        self, branches: tuple[Pattern, ...], group: Group, local: set[str], *, exists: bool, top: bool
    ) -> tuple[str, list[str]]:
        """A function for a nested group: whether it has a solution, or the variables its branches add."""
        inner = [variables(branch) for branch in branches]
        arguments = sorted(set().union(*inner) & (group.bound | self._prebound))
        if absent := [name for name in arguments if name not in group.bound]:
            self._fail(Code.UNBOUND_VARIABLE, f"nothing binds `?{absent[0]}`")
        name = f"group_{len(self._functions)}"
        self._functions.append("")
        place = len(self._functions) - 1
        lines = [f"def {name}(facts" + "".join(f", v_{a}" for a in arguments) + "):"]
        lines.append("    O = facts.objects; S = facts.subjects")
        parts: list[Group] = []
        for branch in branches:
            reached = {a: list(group.reached.get(a, [])) for a in arguments}
            sub = Group(set(arguments), reached, (local & set(arguments)) | (set(arguments) & self._prebound))
            self._branch += not exists
            self._elements(sub, branch, top=top and not exists)
            self._branch -= not exists
            parts.append(sub)
        exported = sorted(set().union(*(part.bound for part in parts)) - set(arguments)) if not exists else []
        if exists:
            parts[0].write("return True")
            lines += [*parts[0].lines, "    return False"]
        else:
            lines.append("    rows = {}")
            for part in parts:
                row = row_of([v if v in part.bound else None for v in exported])
                part.write(f"rows[{row}] = None")
                lines += part.lines
            lines.append("    return rows")
            sure = set.intersection(*(part.bound - part.maybe for part in parts))
            group.maybe |= set(exported) - sure
            for v in exported:
                self._bind(group, v, [node for part in parts for node in part.reached.get(v, [])])
        self._functions[place] = "\n".join(lines)
        return f"{name}(facts" + "".join(f", v_{a}" for a in arguments) + ")", exported

    def _bind(self, group: Group, name: str, reached: list[Reach]) -> None:
        group.bound.add(name)
        group.local.add(name)
        group.reached[name] = reached

    def _reached(self, start: Node, group: Group) -> list[Reach]:
        if isinstance(start, Constant):
            return []
        found = group.reached.get(start.name, [])
        if not found:
            self._fail(Code.DISCONNECTED_PATTERN, f"`?{start.name}` is a value, not an entity that was reached")
        return found

    def _condition(self, expr: Expr, group: Group) -> str:
        text, condition = self._expr(expr, group)
        return text if condition else f"truth({text})"

    def _term(self, expr: Expr, group: Group) -> str:
        text, condition = self._expr(expr, group)
        if condition:
            self._fail(Code.REFUSED_CONSTRUCT, "a condition stands where a value is wanted")
        return text

    def _expr(self, expr: Expr, group: Group) -> tuple[str, bool]:
        """Python for an expression, and whether it is a condition."""
        if isinstance(expr, Var | Constant):
            return self._node(expr), False
        name, args = expr
        if name in {"&&", "||"}:
            joined = f" {'and' if name == '&&' else 'or'} ".join(self._condition(arg, group) for arg in args)
            return f"({joined})", True
        if name == "!":
            return f"(not {self._condition(args[0], group)})", True
        if name in FUNCTIONS:
            return self._call(name, args, group), FUNCTIONS[name].condition
        terms = [self._term(arg, group) for arg in args]
        if name == "IN":
            return f"({terms[0]} in ({', '.join(terms[1:])},))", True
        if name in {"=", "!="}:
            return f"({terms[0]} {'==' if name == '=' else '!='} {terms[1]})", True
        if name in {"<", "<=", ">", ">="}:
            a, b = terms if name in {"<", ">="} else terms[::-1]
            return f"{'' if name in {'<', '>'} else 'not '}less({a}, {b})", True
        numbers = [f"number({term})" for term in terms]
        if name == "neg":
            return f"(-{numbers[0]})", False
        if name == "/":
            return f"divide({numbers[0]}, {numbers[1]})", False
        if name in {"+", "-", "*"}:
            return f"({numbers[0]} {name} {numbers[1]})", False
        return self._fail(Code.UNDECLARED_TERM, f"`{name}` is no registered function")

    def _call(self, name: str, args: tuple[Expr, ...], group: Group) -> str:
        function = FUNCTIONS[name]
        if len(args) != function.arity:
            self._fail(Code.PACK_MEMBER, f"`{name}` takes {function.arity} arguments, found {len(args)}")
        for predicate in function.reads:
            if isinstance(args[0], Var):
                for node in self._reached(args[0], group):
                    node.follow((Link(predicate),))
        call = self._constant(function.call)
        return f"{call}(facts, {', '.join(self._term(arg, group) for arg in args)})"

    def _node(self, node: Node) -> str:
        return f"v_{node.name}" if isinstance(node, Var) else self._constant(node.term)

    def _constant(self, value: object) -> str:
        for name, known in self._names.items():
            if known is value or (type(known) is type(value) and known == value):
                return name
        name = f"c{len(self._names)}"
        self._names[name] = value
        return name

    def _unreachable(self, pending: list[Element], group: Group) -> NoReturn:
        missing = sorted(
            variables(tuple(pending)) - group.bound - {v for v in variables(tuple(pending)) if v[0] == "_"}
        )
        names = ", ".join(f"`?{name}`" for name in missing)
        if any(isinstance(element, Match | Union) for element in pending):
            self._fail(Code.DISCONNECTED_PATTERN, f"no pre-bound variable reaches {names or 'this group'}")
        self._fail(Code.UNBOUND_VARIABLE, f"nothing binds {names}")

    def _fail(self, code: Code, message: str) -> NoReturn:
        raise PackError(Fault(code, message, where=self._where))
