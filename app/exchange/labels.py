"""The words for what someone feels, thinks and shows (MMC V2.5): categories, general labels, and finer ones.

A choice of them is an object {category: {"GeneralAdjectival": {general label: finer label}}}; each holds any number
of members, also none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from pydantic_core import core_schema

Labels: TypeAlias = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Finer labels by general label by category."""

_LEVEL: Final = "GeneralAdjectival"


class Choice:
    """For `Annotated`: a value is a choice of these labels."""

    def __init__(self, labels: Labels) -> None:
        self._labels = labels

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._checked)

    def __get_pydantic_json_schema__(self, _schema: Any, _handler: Any) -> dict[str, Any]:
        return _schema_of(self._labels)

    def _checked(self, value: Any) -> Any:
        for category, levels in _members(value).items():
            if category not in self._labels:
                raise ValueError("the category is none of these")
            for level, words in _members(levels).items():
                if level != _LEVEL:
                    raise ValueError(f"{_LEVEL} is expected")
                for general, finer in _members(words).items():
                    if finer not in self._labels[category].get(general, ()):
                        raise ValueError("the label is none of these")
        return value


def _members(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("an object is expected")
    return value


def _schema_of(labels: Labels) -> dict[str, Any]:
    return _closed(
        {
            category: _closed(
                {_LEVEL: _closed({word: {"type": "string", "enum": [*finer]} for word, finer in general.items()})}
            )
            for category, general in labels.items()
        }
    )


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties}


COGNITIVE_STATES: Final[Labels] = {
    "AROUSAL": {"aroused/excited/energetic": ("cheerful", "playful", "lethargic", "sleepy")},
    "ATTENTION": {
        "attentive": (
            "expectant/anticipating",
            "thoughtful",
            "distracted/absent-minded",
            "vigilant",
            "hopeful/optimistic",
        )
    },
    "BELIEF": {"credulous": ("credulous",), "skeptical": ("skeptical",)},
    "INTEREST": {"interested": ("fascinated", "curious", "bored")},
    "SURPRISE": {"surprised": ("astounded", "startled")},
    "UNDERSTANDING": {"comprehending": ("uncomprehending", "bewildered/puzzled")},
}

EMOTIONS: Final[Labels] = {
    "ANGER": {"angry": ("furious", "irritated", "frustrated")},
    "CALMNESS": {"calm": ("peaceful/serene", "resigned")},
    "DISGUST": {"disgusted": ("repulsed",)},
    "FEAR": {"fearful/scared": ("terrified", "anxious/uneasy")},
    "HAPPINESS": {"happy": ("joyful", "content", "delighted", "amused")},
    "HURT": {"hurt": ("insulted/offended", "resentful/disgruntled", "bitter"), "jealous": ("jealous",)},
    "PRIDE/SHAME": {"proud": ("ashamed", "guilty/remorseful/sorry", "embarrassed")},
    "RETROSPECTION": {"nostalgic": ("homesick",)},
    "SADNESS": {"sad": ("lonely", "grief-stricken", "depressed/gloomy", "disappointed")},
}

SOCIAL_ATTITUDES: Final[Labels] = {
    "ACCEPTANCE": {
        "accepting": ("friendly", "welcoming/inviting"),
        "exclusive/cliquish": ("unfriendly/hostile",),
    },
    "AGREEMENT/DISAGREEMENT": {
        "like-minded": ("like-minded",),
        "argumentative/disputatious": ("sarcastic",),
    },
    "AGGRESSION": {
        "aggressive": ("combative/belligerent", "passive-aggressive", "mocking"),
        "peaceful": ("peaceful",),
        "submissive": ("submissive",),
    },
    "APPROVAL/DISAPPROVAL": {
        "admiring/approving": ("awed", "flattering", "laudatory", "congratulatory"),
        "disapproving": ("contemptuous", "critical", "belittling"),
        "indifferent": ("indifferent",),
    },
    "ACTIVITY/PASSIVITY": {"assertive": ("controlling",), "passive": ("permissive/lenient",)},
    "COOPERATION": {
        "cooperative/agreeable": ("flexible", "supportive", "reasonable", "communicative"),
        "uncooperative": ("stubborn", "disagreeable", "subversive/undermining", "uncommunicative"),
    },
    "EMPATHY": {
        "empathetic/caring": (
            "kind",
            "sympathetic",
            "merciful",
            "selfless/altruistic",
            "generous",
            "supportive",
            "understanding",
        ),
        "uncaring/callous": ("self-absorbed", "selfish/self-serving", "merciless/ruthless"),
    },
    "EXPECTATION": {
        "optimistic": ("positive", "sanguine"),
        "pessimistic": ("negative/defeatist", "cynical"),
    },
    "EXTROVERSION/INTROVERSION": {
        "outgoing/extroverted": ("uninhibited/unreserved", "sociable", "approachable"),
    },
    "DEPENDENCE": {
        "dependent": ("helpless", "obedient", "servile/obsequious"),
        "independent": ("confident", "responsible/trustworthy/dependable"),
    },
    "MOTIVATION": {
        "motivated": ("inspired", "excited/stimulated"),
        "apathetic/indifferent": ("dismissive", "discouraged/dejected"),
    },
    "OPENNESS/TRUST": {
        "open": ("honest/sincere", "candid/frank", "reasonable", "trusting"),
        "trustworthy/responsible/dependable": ("faithful/loyal",),
        "closed/distant": ("distrustful", "dishonest/deceitful"),
    },
    "PRAISING/CRITICISM": {
        "laudatory": ("congratulatory", "flattering"),
        "critical": ("belittling/contemptuous",),
    },
    "RESENTMENT/FORGIVENESS": {
        "forgiving": ("understanding", "merciful"),
        "unforgiving/vindictive/spiteful/vengeful": ("petty",),
    },
    "RESPONSIVENESS": {
        "responsive/demonstrative": ("enthusiastic", "emotional/passionate"),
        "unresponsive/undemonstrative": ("unenthusiastic", "unemotional/detached", "dispassionate"),
    },
    "SELF-PROMOTION": {
        "boastful": ("pompous/pretentious",),
        "modest/humble/unassuming": ("self-deprecating/self-effacing",),
    },
    "SELF-ESTEEM": {
        "conceited/vain": ("smug",),
        "self-deprecating/self-effacing": ("self-deprecating/self-effacing",),
    },
    "SEXUALITY": {
        # the second is what is published: the first with its accent mangled
        "seductive": ("suggestive/risqué/naughty", "suggestive/risqu\u00c3\u00a9/naughty"),
        "lewd/bawdy/indecent": ("lewd/bawdy/indecent",),
        "prudish/priggish": ("prudish/priggish",),
    },
    "SOCIAL DOMINANCE/CONFIDENCE": {
        "arrogant": (
            "forward/presumptuous",
            "brazen",
            "commanding/domineering",
            "condescending/patronizing/snobbish",
            "pedantic",
            "pompous/pretentious",
        ),
        "confident": ("cool",),
        "submissive": ("servile/obsequious",),
        "obedient": ("obedient",),
        "rebellious/defiant": ("rebellious/defiant",),
    },
    "SOCIAL RANK": {
        "polite": ("unaffected",),
        "courteous": ("unaffected",),
        "respectful": ("unaffected",),
        "rude/disrespectful": ("rude/disrespectful",),
    },
}
