"""OWL 2 RL: what follows from a set of facts, why, and what contradicts what.

table.py    the rules over a fixed number of triples      lists.py    the rules over lists
joins.py    rules as functions                            equals.py   owl:sameAs
index.py    facts by their places                         values.py   the value spaces of datatypes
closing.py  facts, closed and extended                    closure.py  what that gives
"""

from app.reasoner.closing import close, extend
from app.reasoner.closure import Clash, Closure, Derivation
from app.reasoner.table import RULES, Pattern, Rule
from app.reasoner.values import value_of

__all__ = ["RULES", "Clash", "Closure", "Derivation", "Pattern", "Rule", "close", "extend", "value_of"]
