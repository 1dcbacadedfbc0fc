"""What a Reason says besides the words of rules, by language: `name: sentence` a line, `{places}` to be filled."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_ENGLISH: Final = """
and: {one} and {other}
and_also: {one}, and {other}
or: {one} or {other}
then: {one}, then {other}
or_else: {one}; or {other}
near: ; did you mean {names}?
text: a text
number: a number
number_not_in: a number in `{unit}`, not in {units}
number_no_unit: a number in `{unit}`, which is no unit of it
a_class: a class
of_class: of class {name}
of_no_class: of no known kind
direct_object: direct object
as_direct_object: as direct object
after: after {preposition}
any_of: could be any of {names}
none_of: there is no such thing of the actor's or at a place named
later_step: step {step} does not come before
refused_step: step {step} is refused
empty_step: step {step} made nothing
which_result: say which: {names}
verb: `{verb}`
pa_status: the PA Status `{status}`
nothing_allows: nothing allows it
would_not_be: it would not be
pays: `{payer}` pays {amount} {currency}
read_as: `{written}` is read as {action}
by_other: it is `{process}` that would have to do it
joined: it is the Process Action after {n} `and` that is refused, and with it the step
of_event: it is the Event after If that is refused, and with it the step
occurred: its Event has occurred
cannot_occur: its Event has not occurred, and after what was done it no longer can: nothing changes
as_if: its Event has not occurred: judged as if {said} came before, and nothing changes yet
not_yet: its Event has not occurred: nothing changes yet
not_conferred: `{right}` is carried but not conferred: {why}
names_nothing: it names nothing
names_other: it names `{part}`, which is not `{actor}`'s
say_object: say {preposition} `{name}`
say: say `{name}`
first: first `{line}`
does_first: `{process}` does first: `{line}`
unjudged: could not be judged: {why}
nothing_against: nothing stands against it and nothing more is needed
would_pass: It would pass: {repairs}
not_sought: No repair was sought: the steps before took all the trials of a plan
no_repair: No repair is known
cut_short: No repair was found before the search was cut short
accepted: {n} of {all} steps would be accepted.
refused: Refused: {steps}.
not_judged: Not judged: {steps} ({why}).
unheld: RightsRefs that the session's User does not hold count for nothing: {names}.
"""

_ITALIAN: Final = """
and: {one} e {other}
and_also: {one}, e {other}
or: {one} o {other}
then: {one}, poi {other}
or_else: {one}; oppure {other}
near: ; forse {names}?
text: un testo
number: un numero
number_not_in: un numero in `{unit}`, non in {units}
number_no_unit: un numero in `{unit}`, che non è una sua unità
a_class: una classe
of_class: di classe {name}
of_no_class: di nessun tipo noto
direct_object: complemento oggetto
as_direct_object: come complemento oggetto
after: dopo {preposition}
any_of: potrebbe essere {names}
none_of: non c'è una tale cosa di chi agisce, né in un luogo nominato
later_step: il passo {step} non viene prima
refused_step: il passo {step} è rifiutato
empty_step: il passo {step} non ha prodotto nulla
which_result: dire quale: {names}
verb: `{verb}`
pa_status: il PA Status `{status}`
nothing_allows: niente lo consente
would_not_be: non sarebbe così
pays: `{payer}` paga {amount} {currency}
read_as: `{written}` si legge come {action}
by_other: a doverlo fare sarebbe `{process}`
joined: a essere rifiutata è la Process Action dopo {n} `and`, e con essa il passo
of_event: a essere rifiutato è l'Evento dopo If, e con esso il passo
occurred: il suo Evento è avvenuto
cannot_occur: il suo Evento non è avvenuto, e dopo quanto è stato fatto non può più avvenire: nulla cambia
as_if: il suo Evento non è avvenuto: giudicato come se prima venisse {said}, e per ora nulla cambia
not_yet: il suo Evento non è avvenuto: per ora nulla cambia
not_conferred: `{right}` è portato ma non conferito: {why}
names_nothing: non nomina nulla
names_other: nomina `{part}`, che non è di `{actor}`
say_object: dire {preposition} `{name}`
say: dire `{name}`
first: prima `{line}`
does_first: prima `{process}` fa: `{line}`
unjudged: non si è potuto giudicare: {why}
nothing_against: nulla vi si oppone e non serve altro
would_pass: Passerebbe così: {repairs}
not_sought: Non si è cercato un rimedio: i passi precedenti hanno esaurito i tentativi di un piano
no_repair: Nessun rimedio noto
cut_short: Nessun rimedio trovato prima che la ricerca fosse interrotta
accepted: Passi che sarebbero accettati: {n} su {all}.
refused: Rifiutati: {steps}.
not_judged: Non giudicati: {steps} ({why}).
unheld: RightsRefs che l'Utente della sessione non detiene non contano: {names}.
"""


def _read(text: str) -> Mapping[str, str]:
    return MappingProxyType(dict(line.split(": ", 1) for line in text.strip("\n").splitlines()))


PHRASES: Final[Mapping[str, Mapping[str, str]]] = {"en": _read(_ENGLISH), "it": _read(_ITALIAN)}
