"""The pattern language of rules: text -> Pattern. A subset of SPARQL 1.1 graph patterns (DESIGN 5).

    Pattern   ::= { Triples | Filter | Bind | Union }
    Triples   ::= Node Path Node { "," Node } { ";" Path Node { "," Node } } ["."]
    Path      ::= Link { ("/" | "|") Link }            Link ::= ["^"] Iri ["*" | "+"] | "^" Iri
    Filter    ::= "FILTER" ( "(" Expr ")" | ["NOT"] "EXISTS" "{" Pattern "}" )
    Bind      ::= "BIND" "(" Expr "AS" Var ")"
    Union     ::= "{" Pattern "}" { "UNION" "{" Pattern "}" }
    Expr      ::= comparisons = != < <= > >=, && || !, IN, NOT IN, + - * /, registered functions, parentheses

Everything else of SPARQL is refused by its name, with what to write instead. Every pattern is also SPARQL: the oracle
of the tests evaluates the same text with an independent engine.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from sys import intern
from typing import NamedTuple, NoReturn

from app.errors import Code, Fault, PackError
from app.model import Term, Text, Typed
from app.rules.syntax import Bind, Constant, Exists, Expr, Filter, Link, Match, Node, Op, Path, Pattern, Union, Var
from app.vocab import TYPE, XSD

EXISTS_DEPTH = 3
"""How deep EXISTS may be nested: none of the patterns / is without a part / that does not fit."""

_REFUSED = {
    "OPTIONAL": "write a rule for each case, or UNION",
    "MINUS": "write FILTER NOT EXISTS { }",
    "GRAPH": "a rule sees one M-Instance",
    "SERVICE": "a rule reads only what was fetched",
    "VALUES": "write FILTER(?x IN (...))",
    "SELECT": "a rule has no subquery",
    "BOUND": "a pre-bound variable without a value makes the rule not applicable",
    "REGEX": "compare with =, or use a registered function",
    "NOW": "use the pre-bound ?now",
    "RAND": "a verdict is the same each time",
    "BNODE": "a rule makes no nodes",
    "COUNT": "counts are facts that effects keep up",
    "SUM": "sums are facts that effects keep up",
    "COALESCE": "write UNION",
    "IF": "write UNION",
}

_TOKEN = re.compile(
    r"""(?P<space>\s+|\#[^\n]*)
      | (?P<iri><[^<>"{}|^`\\\s]*>)
      | (?P<var>[?$][A-Za-z_][A-Za-z0-9_]*)
      | (?P<text>"(?:[^"\\\n]|\\.)*"(?:@[A-Za-z-]+)?)
      | (?P<number>[0-9]+(?:\.[0-9]+)?)
      | (?P<name>[A-Za-z][A-Za-z0-9_-]*:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)
      | (?P<word>[A-Za-z]+)
      | (?P<sign>&&|\|\||!=|<=|>=|\^\^|[{}().;,=<>!*/+|^-])
    """,
    re.VERBOSE,
)


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


class _Parser:
    """Recursive descent; `_fail` says where, what was expected and what to write."""

    def __init__(self, source: str, prefixes: Mapping[str, str], where: str) -> None:
        self._source = source
        self._prefixes = prefixes
        self._where = where
        self._tokens = self._tokenise()
        self._next = 0

    def whole(self) -> Pattern:
        """Pattern, to the end of the text."""
        pattern = self._pattern(0)
        if self._peek().kind != "end":
            self._fail("a triple, FILTER, BIND, `{` or the end of the pattern")
        return pattern

    def template(self) -> tuple[Match, ...]:
        """Triples alone, each with a plain predicate: what an effect adds or removes."""
        elements = self.whole().elements
        for element in elements:
            if not isinstance(element, Match) or element.path.alternative or len(element.path.links) != 1:
                self._fail("triples with a plain predicate, and nothing else")
        return tuple(element for element in elements if isinstance(element, Match))

    def _pattern(self, depth: int) -> Pattern:
        elements: list[Match | Filter | Exists | Bind | Union] = []
        while True:
            token = self._peek()
            if token.kind == "end" or token.text == "}":
                return Pattern(tuple(elements))
            if token.text == ".":
                self._take()
            elif token.text == "{":
                elements.append(self._union(depth))
            elif token.kind == "word" and token.text.upper() == "FILTER":
                self._take()
                elements.append(self._filter(depth))
            elif token.kind == "word" and token.text.upper() == "BIND":
                self._take()
                elements.append(self._bind())
            else:
                elements.extend(self._triples())

    def _union(self, depth: int) -> Union:
        branches = [self._group(depth)]
        while self._peek().text.upper() == "UNION":
            self._take()
            branches.append(self._group(depth))
        return Union(tuple(branches))

    def _group(self, depth: int) -> Pattern:
        self._expect("{")
        pattern = self._pattern(depth)
        self._expect("}")
        return pattern

    def _filter(self, depth: int) -> Filter | Exists:
        negated = self._peek().text.upper() == "NOT"
        if negated:
            self._take()
        if self._peek().text.upper() == "EXISTS":
            if depth >= EXISTS_DEPTH:
                self._fail(f"no EXISTS more than {EXISTS_DEPTH} deep", Code.REFUSED_CONSTRUCT)
            self._take()
            return Exists(negated, self._group(depth + 1))
        if negated:
            self._fail("EXISTS")
        self._expect("(")
        expr = self._or()
        self._expect(")")
        return Filter(expr)

    def _bind(self) -> Bind:
        self._expect("(")
        expr = self._or()
        if self._peek().text.upper() != "AS":
            self._fail("AS")
        self._take()
        var = self._node()
        if not isinstance(var, Var):
            self._fail("a variable")
        self._expect(")")
        return Bind(expr, var)

    def _triples(self) -> list[Match]:
        subject, found = self._node(), []
        while True:
            path = self._path()
            found.append(Match(subject, path, self._node()))
            while self._peek().text == ",":
                self._take()
                found.append(Match(subject, path, self._node()))
            if self._peek().text != ";":
                return found
            while self._peek().text == ";":
                self._take()
            if self._peek().text in {".", "}", ""}:
                return found

    def _path(self) -> Path:
        links = [self._link()]
        sign = self._peek().text
        while sign in {"/", "|"} and self._peek().text in {"/", "|"}:
            if self._peek().text != sign:
                self._fail("`/` or `|` alone in one path", Code.REFUSED_CONSTRUCT)
            self._take()
            links.append(self._link())
        if sign == "|" and any(link.least is not None for link in links):
            self._fail("no `*` or `+` in an alternative path", Code.REFUSED_CONSTRUCT)
        return Path(tuple(links), alternative=sign == "|")

    def _link(self) -> Link:
        inverse = self._peek().text == "^"
        if inverse:
            self._take()
        token = self._peek()
        if token.kind == "var":
            self._fail("a constant predicate", Code.REFUSED_CONSTRUCT)
        if token.text in {"!", "("}:
            self._fail("a predicate, `^predicate`, `p/q`, `p|q`, `p*` or `p+`", Code.REFUSED_CONSTRUCT)
        predicate: Term = TYPE
        if token.text == "a":
            self._take()
        else:
            node = self._node()
            predicate = node.term if isinstance(node, Constant) else ""
        if not isinstance(predicate, str):
            self._fail("a predicate")
        least = {"*": 0, "+": 1}.get(self._peek().text)
        if least is not None:
            self._take()
        return Link(predicate, inverse, least)

    def _or(self) -> Expr:
        return self._left_to_right(self._and, {"||"})

    def _and(self) -> Expr:
        return self._left_to_right(self._comparison, {"&&"})

    def _comparison(self) -> Expr:
        left = self._sum()
        token = self._peek()
        if token.text in {"=", "!=", "<", "<=", ">", ">="}:
            self._take()
            return Op(token.text, (left, self._sum()))
        negated = token.text.upper() == "NOT"
        if negated or token.text.upper() == "IN":
            self._take()
            if negated:
                self._expect("IN")
            self._expect("(")
            options = [self._or()]
            while self._peek().text == ",":
                self._take()
                options.append(self._or())
            self._expect(")")
            inside = Op("IN", (left, *options))
            return Op("!", (inside,)) if negated else inside
        return left

    def _sum(self) -> Expr:
        return self._left_to_right(self._product, {"+", "-"})

    def _product(self) -> Expr:
        return self._left_to_right(self._unary, {"*", "/"})

    def _left_to_right(self, operand: object, signs: set[str]) -> Expr:
        assert callable(operand)
        left: Expr = operand()
        while self._peek().text in signs:
            sign = self._take().text
            left = Op(sign, (left, operand()))
        return left

    def _unary(self) -> Expr:
        token = self._peek()
        if token.text in {"!", "-"}:
            self._take()
            return Op("neg" if token.text == "-" else "!", (self._unary(),))
        if token.text == "(":
            self._take()
            expr = self._or()
            self._expect(")")
            return expr
        node = self._node()
        if isinstance(node, Constant) and isinstance(node.term, str) and self._peek().text == "(":
            self._take()
            args: list[Expr] = []
            while self._peek().text != ")":
                if args:
                    self._expect(",")
                args.append(self._or())
            self._take()
            return Op(node.term, tuple(args))
        return node

    def _node(self) -> Node:
        token = self._peek()
        if token.kind == "var":
            self._take()
            return Var(token.text[1:])
        if token.kind == "iri":
            self._take()
            return Constant(intern(token.text[1:-1]))
        if token.kind == "name":
            self._take()
            prefix, _, local = token.text.partition(":")
            if prefix not in self._prefixes:
                self._next -= 1
                self._fail(f"one of the prefixes {', '.join(sorted(self._prefixes))}", Code.UNDECLARED_TERM)
            return Constant(intern(self._prefixes[prefix] + local))
        if token.kind == "number":
            self._take()
            return Constant(Decimal(token.text))
        if token.kind == "text":
            self._take()
            return Constant(self._literal(token.text))
        if token.text.lower() in {"true", "false"}:
            self._take()
            return Constant(Typed(token.text.lower(), XSD + "boolean"))
        return self._fail("a variable, an IRI, a number or a text")

    def _literal(self, token: str) -> Term:
        quoted, _, lang = token.rpartition('"')
        value = re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), quoted[1:])
        if self._peek().text == "^^":
            self._take()
            datatype = self._node()
            if not isinstance(datatype, Constant) or not isinstance(datatype.term, str):
                self._fail("a datatype")
            return Typed(value, datatype.term)
        return Text(value, lang[1:].lower())

    def _tokenise(self) -> list[_Token]:
        tokens: list[_Token] = []
        at = 0
        while at < len(self._source):
            found = _TOKEN.match(self._source, at)
            if found is None:
                self._tokens, self._next = [_Token("sign", self._source[at], at)], 0
                self._fail("a pattern")
            if found.lastgroup != "space":
                tokens.append(_Token(found.lastgroup or "", found[0], at))
            at = found.end()
        return [*tokens, _Token("end", "", len(self._source))]

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._tokens[self._next]
        self._next = min(self._next + 1, len(self._tokens) - 1)
        return token

    def _expect(self, text: str) -> None:
        if self._peek().text.upper() != text:
            self._fail(f"`{text}`")
        self._take()

    def _fail(self, expected: str, code: Code | None = None) -> NoReturn:
        token = self._peek()
        instead = _REFUSED.get(token.text.upper()) if token.kind == "word" else None
        line = self._source.count("\n", 0, token.at)
        column = token.at - (self._source.rfind("\n", 0, token.at) + 1) + 1
        found = f"`{token.text}`" if token.text else "the end"
        where = f"{self._where}, line {line + 1} of the pattern, column {column}"
        if instead is not None:
            message = f"{found} is outside the pattern language"
            raise PackError(Fault(Code.REFUSED_CONSTRUCT, message, where=where, hint=instead))
        message = f"expected {expected}, found {found}"
        raise PackError(Fault(code or Code.PACK_UNREADABLE, message, where=where))


def parse(source: str, prefixes: Mapping[str, str], where: str = "") -> Pattern:
    """A graph pattern. Raises PackError with the place."""
    return _Parser(source, prefixes, where).whole()


def parse_template(source: str, prefixes: Mapping[str, str], where: str = "") -> tuple[Match, ...]:
    """Triples to add or remove. Raises PackError with the place."""
    return _Parser(source, prefixes, where).template()
