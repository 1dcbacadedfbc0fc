"""Every sentence the answers are made of, by language: `name: sentence` a line, `{places}` to be filled.

English has all; a language without one of them says it in English.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_ENGLISH: Final = """
and: and
or: or
more: {n} more
affords: {thing} ({kind}): {uses}.
affords_class: Anything of class {thing}: {uses}.
affords_none: {thing}: no use is known.
affords_more: {n} more things have uses: see Affordances.
affords_no_more: {thing}: nothing that is possible now is open to `{user}`.
left_out: Not possible in the present state: {uses}.
may_not: {use} `{thing}`: {why}.
unchecked: No User is known for this session, so Rights were not looked at.
unsure: Whether `{thing}` takes {use} could not be judged: {why}.
place_left_out: {n} of {all} things at `{place}` are left out; ask for those that matter by EntityIDs.
no_entity: Nothing here is called `{name}`{near}
no_space: No place here is called `{name}`{near}
not_a_place: `{name}` is no place: its class is {kind}.
space_conflict: The MLocation is that of `{other}`, not of `{name}`; `{name}` was taken.
no_location: The MLocation lies in no place that is known here; give its SpaceID.
no_class: `{name}` is no class of the packs in use here ({packs}){near}
foreign: `{name}` belongs neither to this M-Instance nor to its packs.
no_term: What `{name}` means here is not certain enough to say{near}
near: ; did you mean {names}?
expected: Expected {where}: {n}.
expected_none: No expectation is known {where}.
here: at `{place}`
anywhere: in general
in_kind: in any place of class {kinds}
during: during {occasions}
towards_things: towards {things}
withdrawn: Withdrawn: "{general}", because here "{special}".
contradict: These contradict each other and neither is more specific: "{one}" and "{other}".
limits: {thing}: known limits: {n}.
limits_none: {thing}: no limit is known.
owned: `{thing}` belongs to `{owner}`: what others do with it takes a May that names it.
owned_place: `{thing}` belongs to `{owner}`: others enter only with a May.
as_outer: `{thing}` is as `{outer}` around it is.
public: `{thing}` is open to all.
shut: `{thing}` is not public and nobody owns it: entering takes a May.
held: {verb}, by `{right}` of `{holder}`: {what}{times}.
rule: Rule `{rule}`: {verb} {what}{times}.
from: , from {time}
until: , until {time}
extent: `{thing}` is {x} m wide, {y} m high and {z} m deep: from ({low}) to ({high}), in metres.
capacity: `{thing}` takes at most {n} Items.
occupied: `{thing}` takes at most {n} Items; {m} are there now.
price: `{thing}` costs {amount} {currency}{model}{times}.
hours: `{thing}` is open {hours}, in UTC; {now}.
open_now: now it is open
shut_now: now it is shut
hours_unread: the hours cannot be read
licence: `{thing}` is used under the Licence `{licence}`.
disjoint: Nothing is both {one} and {others}.
at_most: {thing}: "{property}" at most {n}.
at_least: {thing}: "{property}" at least {n}.
exactly: {thing}: "{property}" exactly {n}.
only: {thing}: "{property}" only of class {other}.
some: {thing}: "{property}" at least one of class {other}.
value: {thing}: "{property}" always {other}.
source: (source: {source})
shape_subjects: what has "{property}"
shape_objects: what "{property}" leads to
shape_count: exactly {value}
shape_minCount: at least {value}
shape_maxCount: at most {value}
shape_class: of class {value}
shape_datatype: of datatype {value}
shape_nodeKind: of kind {value}
shape_in: one of {values}
shape_hasValue: {values} among them
shape_minInclusive: not below {value}
shape_minExclusive: above {value}
shape_maxInclusive: not above {value}
shape_maxExclusive: below {value}
shape_minLength: at least {value} characters long
shape_maxLength: at most {value} characters long
shape_pattern: written as the pattern `{value}` says
shape_languageIn: in one of the languages {values}
shape_uniqueLang: one in each language
shape_equals: the same as "{value}"
shape_disjoint: other than "{value}"
shape_lessThan: before "{value}"
shape_lessThanOrEquals: not after "{value}"
shape_qualifiedCount: exactly {value} such: {what}
shape_qualifiedMinCount: at least {value} such: {what}
shape_qualifiedMaxCount: at most {value} such: {what}
shape_node: which is {value}
shape_not: not {value}
shape_and: {values}
shape_or: {values}
shape_xone: just one of {values}
shape_closed: nothing else is said of it
must: {actor} must {what} ({right}){times}.
everyone: everyone
of_session: what the session keeps to
once: , once {event} has happened
agreed: {statement} (agreed: `{commitment}`).
means: `{term}` means {label} ({percent} %).
which: `{term}` may mean {senses}; say which.
unlikely: `{term}` means nothing here with enough certainty; the nearest is {label} ({percent} %).
unknown_word: No class here is called `{term}`.
no_words: The Question names no class of the packs in use.
bad_hint: The Class given for `{term}`, `{name}`, is no class of the packs in use here ({packs}){near}
defined: `{term}` here means {label}: {definition}
kind_of: It is a kind of {above}.
also_called: Also called {names}.
defined_sense: {label}: {definition}
is_here: `{name}` is {kind}, at `{place}`.
is_somewhere: `{name}` is {kind}.
rule_means: `{rule}` is the rule "{title}" ({clause}), PA Status {status}.
step_refused: Step {step}, "{statement}", got {status}: {reason}.
step_accepted: Step {step}, "{statement}", was not refused: {reason}.
step_unjudged: Step {step}, "{statement}", could not be judged: {reason}.
step_repair: It would pass so: {repair}.
no_repair: No repair is known.
no_plan: No plan was judged in the last {n} turns of this dialogue.
no_step: The last plan judged has no step {step}; its steps are {steps}.
several_steps: Several steps were refused: {steps}; say which.
none_refused: No step of the last plan was refused.
picked: "{words}" is {label}.
which_of: Not decided between {options}; {ways} would tell.
no_alternatives: Nothing was left open in the last {n} turns of this dialogue, so "{words}" has nothing to refer to.
no_other: "{words}" needs two alternatives of which one was spoken of; there are {options}.
use_why: {use} `{thing}` was left out: {why}.
state_why: it is {state}
use_not_left_out: {use} `{thing}` was not left out.
cannot_tell: What "{words}" refers to could not be found. {known}
can_ask: This dialogue could explain: {subjects}.
can_ask_nothing: This dialogue has nothing to clarify yet.
of_steps: the steps {steps}
of_terms: the words {terms}
of_uses: the uses left out
nothing_asked: There is nothing to work on: {members} would help.
"""

_ITALIAN: Final = """
and: e
or: o
more: altri {n}
affords: {thing} ({kind}): {uses}.
affords_class: Ogni cosa di classe {thing}: {uses}.
affords_none: {thing}: nessun uso noto.
affords_more: Altre {n} cose hanno usi: vedere Affordances.
affords_no_more: {thing}: niente di ciò che ora è possibile è consentito a `{user}`.
left_out: Impossibile nello stato attuale: {uses}.
may_not: {use} `{thing}`: {why}.
unchecked: Per questa sessione non è noto alcun Utente, perciò i Diritti non sono stati considerati.
unsure: Non si è potuto giudicare se `{thing}` si presti a {use}: {why}.
place_left_out: {n} di {all} cose presso `{place}` sono tralasciate; chiedere con EntityIDs di quelle che contano.
no_entity: Qui niente si chiama `{name}`{near}
no_space: Qui nessun luogo si chiama `{name}`{near}
not_a_place: `{name}` non è un luogo: la sua classe è {kind}.
space_conflict: L'MLocation è quella di `{other}`, non di `{name}`; vale `{name}`.
no_location: L'MLocation non sta in alcun luogo noto qui; indicare lo SpaceID.
no_class: `{name}` non è una classe dei pacchetti in uso qui ({packs}){near}
foreign: `{name}` non appartiene né a questa M-Instance né ai suoi pacchetti.
no_term: Che cosa significhi qui `{name}` non è abbastanza certo{near}
near: ; forse {names}?
expected: Aspettative {where}: {n}.
expected_none: Nessuna aspettativa nota {where}.
here: presso `{place}`
anywhere: in generale
in_kind: in ogni luogo di classe {kinds}
during: durante {occasions}
towards_things: verso {things}
withdrawn: Non vale: "{general}", perché qui "{special}".
contradict: Queste si contraddicono e nessuna è più specifica: "{one}" e "{other}".
limits: {thing}: limiti noti: {n}.
limits_none: {thing}: nessun limite noto.
owned: `{thing}` appartiene a `{owner}`: quel che altri ne fanno richiede un May che lo nomini.
owned_place: `{thing}` appartiene a `{owner}`: gli altri vi entrano solo con un May.
as_outer: `{thing}` è come `{outer}` che lo circonda.
public: `{thing}` è aperto a tutti.
shut: `{thing}` non è pubblico e non appartiene a nessuno: entrarvi richiede un May.
held: {verb}, per `{right}` di `{holder}`: {what}{times}.
rule: Regola `{rule}`: {verb} {what}{times}.
from: , dal {time}
until: , fino al {time}
extent: `{thing}` è largo {x} m, alto {y} m e profondo {z} m: da ({low}) a ({high}), in metri.
capacity: `{thing}` accoglie al massimo {n} Item.
occupied: `{thing}` accoglie al massimo {n} Item; ora ce ne sono {m}.
price: `{thing}` costa {amount} {currency}{model}{times}.
hours: `{thing}` è aperto {hours}, in UTC; {now}.
open_now: ora è aperto
shut_now: ora è chiuso
hours_unread: l'orario non è leggibile
licence: `{thing}` si usa con la Licenza `{licence}`.
disjoint: Niente è insieme {one} e {others}.
at_most: {thing}: "{property}" al massimo {n}.
at_least: {thing}: "{property}" almeno {n}.
exactly: {thing}: "{property}" esattamente {n}.
only: {thing}: "{property}" solo di classe {other}.
some: {thing}: "{property}" almeno uno di classe {other}.
value: {thing}: "{property}" sempre {other}.
source: (fonte: {source})
shape_subjects: ciò che ha "{property}"
shape_objects: ciò a cui porta "{property}"
shape_count: esattamente {value}
shape_minCount: almeno {value}
shape_maxCount: al massimo {value}
shape_class: di classe {value}
shape_datatype: di datatype {value}
shape_nodeKind: di specie {value}
shape_in: uno tra {values}
shape_hasValue: tra cui {values}
shape_minInclusive: non meno di {value}
shape_minExclusive: più di {value}
shape_maxInclusive: non più di {value}
shape_maxExclusive: meno di {value}
shape_minLength: lungo almeno {value} caratteri
shape_maxLength: lungo al massimo {value} caratteri
shape_pattern: scritto secondo il modello `{value}`
shape_languageIn: in una delle lingue {values}
shape_uniqueLang: uno per lingua
shape_equals: lo stesso di "{value}"
shape_disjoint: diverso da "{value}"
shape_lessThan: prima di "{value}"
shape_lessThanOrEquals: non dopo "{value}"
shape_qualifiedCount: esattamente {value} così: {what}
shape_qualifiedMinCount: almeno {value} così: {what}
shape_qualifiedMaxCount: al massimo {value} così: {what}
shape_node: che è {value}
shape_not: non {value}
shape_and: {values}
shape_or: {values}
shape_xone: solo uno tra {values}
shape_closed: nient'altro è detto di esso
must: {actor} deve {what} ({right}){times}.
everyone: ognuno
of_session: ciò a cui si attiene la sessione
once: , una volta avvenuto {event}
agreed: {statement} (concordato: `{commitment}`).
means: `{term}` significa {label} ({percent} %).
which: `{term}` può significare {senses}; dire quale.
unlikely: `{term}` qui non significa nulla con abbastanza certezza; il più vicino è {label} ({percent} %).
unknown_word: Nessuna classe qui si chiama `{term}`.
no_words: La domanda non nomina alcuna classe dei pacchetti in uso.
bad_hint: La Class data per `{term}`, `{name}`, non è una classe dei pacchetti in uso qui ({packs}){near}
defined: `{term}` qui significa {label}: {definition}
kind_of: È un tipo di {above}.
also_called: Detto anche {names}.
defined_sense: {label}: {definition}
is_here: `{name}` è {kind}, presso `{place}`.
is_somewhere: `{name}` è {kind}.
rule_means: `{rule}` è la regola "{title}" ({clause}), PA Status {status}.
step_refused: Il passo {step}, "{statement}", ha avuto {status}: {reason}.
step_accepted: Il passo {step}, "{statement}", non è stato rifiutato: {reason}.
step_unjudged: Il passo {step}, "{statement}", non si è potuto giudicare: {reason}.
step_repair: Passerebbe così: {repair}.
no_repair: Nessun rimedio noto.
no_plan: Negli ultimi {n} turni di questo dialogo non è stato giudicato alcun piano.
no_step: L'ultimo piano giudicato non ha un passo {step}; i suoi passi sono {steps}.
several_steps: Più passi sono stati rifiutati: {steps}; dire quale.
none_refused: Nessun passo dell'ultimo piano è stato rifiutato.
picked: "{words}" è {label}.
which_of: Non è deciso tra {options}; lo direbbe {ways}.
no_alternatives: Negli ultimi {n} turni di questo dialogo nulla è rimasto aperto: "{words}" non si riferisce a niente.
no_other: "{words}" presuppone due alternative di cui una nominata; ci sono {options}.
use_why: {use} `{thing}` è stato tralasciato: {why}.
state_why: è {state}
use_not_left_out: {use} `{thing}` non è stato tralasciato.
cannot_tell: Non si è trovato a che cosa si riferisca "{words}". {known}
can_ask: Questo dialogo potrebbe spiegare: {subjects}.
can_ask_nothing: Questo dialogo non ha ancora nulla da chiarire.
of_steps: i passi {steps}
of_terms: le parole {terms}
of_uses: gli usi tralasciati
nothing_asked: Non c'è nulla su cui lavorare: servirebbe {members}.
"""


def _read(text: str) -> Mapping[str, str]:
    return MappingProxyType(dict(line.split(": ", 1) for line in text.strip().splitlines()))


PHRASES: Final[Mapping[str, Mapping[str, str]]] = {"en": _read(_ENGLISH), "it": _read(_ITALIAN)}
