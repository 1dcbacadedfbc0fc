"""What an ontology implies, and which axioms are to blame: OWL 2 DL, for authors.

axioms.py     RDF -> axioms, each with its triples      places.py     where each stands in its file
wording.py    an axiom for readers                      reasoners.py  HermiT and rustdl in processes of their own
beyond_rl.py  what OWL 2 RL leaves out            chains.py     chains of properties
justify.py    minimal sets of axioms that contradict each other
"""
