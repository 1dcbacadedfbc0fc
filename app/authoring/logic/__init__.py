"""What an ontology implies, and which axioms are to blame: OWL 2 DL, for authors.

axioms.py     RDF -> axioms, each with its triples      places.py     where each stands in its file
wording.py    an axiom for readers                      reasoners.py  HermiT and rustdl in processes of their own
justify.py    minimal sets of axioms that contradict each other
"""
