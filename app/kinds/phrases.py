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
affords_no_more: {thing}: nothing that is possible now is open to `{user}`.
left_out: Not possible in the present state: {uses}.
may_not: {use} `{thing}`: {why}.
unchecked: No User is known for this session, so Rights were not looked at.
unsure: Whether `{thing}` takes {use} could not be judged: {why}.
place_left_out: {n} of {all} things at `{place}` are left out; ask for those that matter by EntityIDs.
no_entity: Nothing here is called `{name}`{near}.
no_space: No place here is called `{name}`{near}.
not_a_place: `{name}` is no place: its class is {kind}.
space_conflict: The MLocation is that of `{other}`, not of `{name}`; `{name}` was taken.
no_location: The MLocation lies in no place that is known here; give its SpaceID.
no_class: `{name}` is no class of the packs in use here ({packs}){near}.
foreign: `{name}` belongs neither to this M-Instance nor to its packs.
no_term: What `{name}` means here is not certain enough to say{near}.
near: ; did you mean {names}
expected: Expected {where}: {n}.
expected_none: No expectation is known {where}.
here: at `{place}`
anywhere: in general
in_kind: in any place of class {kinds}
during: during {occasions}
towards_things: towards {things}
withdrawn: Withdrawn: "{general}", because here "{special}".
contradict: These contradict each other and neither is more specific: "{one}" and "{other}".
must: `{actor}` must {what} ({right}).
nothing_asked: There is nothing to work on: {members} would help.
"""

_ITALIAN: Final = """
and: e
or: o
more: altri {n}
affords: {thing} ({kind}): {uses}.
affords_class: Ogni cosa di classe {thing}: {uses}.
affords_none: {thing}: nessun uso noto.
affords_no_more: {thing}: niente di ciò che ora è possibile è consentito a `{user}`.
left_out: Impossibile nello stato attuale: {uses}.
may_not: {use} `{thing}`: {why}.
unchecked: Per questa sessione non è noto alcun Utente, perciò i Diritti non sono stati considerati.
unsure: Non si è potuto giudicare se `{thing}` si presti a {use}: {why}.
place_left_out: {n} di {all} cose presso `{place}` sono tralasciate; chiedere con EntityIDs di quelle che contano.
no_entity: Qui niente si chiama `{name}`{near}.
no_space: Qui nessun luogo si chiama `{name}`{near}.
not_a_place: `{name}` non è un luogo: la sua classe è {kind}.
space_conflict: L'MLocation è quella di `{other}`, non di `{name}`; vale `{name}`.
no_location: L'MLocation non sta in alcun luogo noto qui; indicare lo SpaceID.
no_class: `{name}` non è una classe dei pacchetti in uso qui ({packs}){near}.
foreign: `{name}` non appartiene né a questa M-Instance né ai suoi pacchetti.
no_term: Che cosa significhi qui `{name}` non è abbastanza certo{near}.
near: ; forse {names}
expected: Aspettative {where}: {n}.
expected_none: Nessuna aspettativa nota {where}.
here: presso `{place}`
anywhere: in generale
in_kind: in ogni luogo di classe {kinds}
during: durante {occasions}
towards_things: verso {things}
withdrawn: Non vale: "{general}", perché qui "{special}".
contradict: Queste si contraddicono e nessuna è più specifica: "{one}" e "{other}".
must: `{actor}` deve {what} ({right}).
nothing_asked: Non c'è nulla su cui lavorare: servirebbe {members}.
"""


def _read(text: str) -> Mapping[str, str]:
    return MappingProxyType(dict(line.split(": ", 1) for line in text.strip().splitlines()))


PHRASES: Final[Mapping[str, Mapping[str, str]]] = {"en": _read(_ENGLISH), "it": _read(_ITALIAN)}
