"""Whether a sentence asks for an answer or for an action: decided by its form, whatever it is about.

A question begins with a question word before a verb ("what is ...", "which block is ..."), with a verb before its
subject ("is the ...", "do you see ..."), or with a verb of saying ("tell me ...", "count ..."). Polite requests have
the form of questions, too ("can you put ...", "is it possible to ..."): a closed list of them counts as requests. Of
several sentences the last one that says more than "please" or "thank you" decides.
"""

from __future__ import annotations

import re

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u00b4`", "'"))
"""Marks that keyboards, phones and word processors write for an apostrophe."""
_CONTRACTIONS = (
    (r"^can't\b", "can"),
    (r"^won't\b", "will"),
    (r"^(is|are|was|were|does|do|did|has|have|could|would|should)n't\b", r"\1"),
    (r"\bcan't\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (r"\b(what|where|which|who|how|when|why|there|that|it|here)'s\b", r"\1 is"),
    (r"\b(what|where|who|how|there)s\b", r"\1 is"),
    (r"^((?:what|which) \w+)'s\b", r"\1 is"),
    (r"\b(what|where|which|who|how|when|why)'d\b", r"\1 did"),
    (r"'re\b", " are"),
    (r"'ve\b", " have"),
    (r"'ll\b", " will"),
    (r"'m\b", " am"),
    (r"'d\b", " would"),
)
"""Short forms, in the order in which they are written out.

A sentence that begins with a negated verb asks the same as one without: "isn't it red?" is "is it red?".
"""
_AROUND = " \"'()[]<>*_-\u201c\u201d\u2026"
"""Marks around a sentence, such as quotation marks."""
_SENTENCE_END = re.compile(r"(?<=[.!?;:]) |(?<=[!?;])(?=\w)")

_FINITE = "is|are|was|were|am|do|does|did|has|have|can|could|will|would|should|must|may"
_STATIVE = "lies|lie|sits|sit|stands|stand|remains|remain|happened|happens|goes|go|belongs|belong"
_PREPOSITION = "in|into|on|onto|at|to|from|near|behind|next to|in front of|on top of"
_NO_NOUN = "you|i|we|they|he|she|it|the|this|that|these|those|about"
_NO_RELATIVE = "you|that|which|who|what"
_POLITE = "(?:(?:please|kindly|just|still|also|now|maybe|perhaps) )*"
_ASKED_TO = rf"(?:(?:can|could|will|would) you {_POLITE}|(?:can|could|may) i ask you to {_POLITE})"
_SAYING = "tell me|tell us|let me know|describe|explain|count|say|list|name"

_OPENING = re.compile(
    r"(?:(?:please|(?:hey|hi|hello)(?: there)?|good (?:morning|afternoon|evening)|ok|okay|alright|(?:yes|no)(?=,)|so"
    r"|and|but|now|well|then|also|just|(?:dear )?robot|excuse me|sorry|by the way|thanks|thank you|listen)\b[ ,]*)+"
)
_WONDERING = r"(?:i|we) (?:wonder|wondered|(?:am|was) wondering|(?:want|need|would like) to know)"
_INDIRECT = re.compile(
    rf"(?:{_ASKED_TO}?(?:tell me|tell us|let me know|say|check|see|look)|{_WONDERING}"
    r"|(?:do|can|could|would) you (?:know|remember)|(?:do you have )?any idea|(?:can|could|may) i (?:ask|know))"
    r"[ ,]+(?:(?:if|whether) |(?=what|which|where|who|how))"
)
"""What goes before an indirect question: "tell me if ...", "do you know where ..."."""
_QUESTIONS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:(?:{_PREPOSITION}) )?(?:what|which) (?:{_FINITE}|{_STATIVE})\b",
        rf"(?:(?:{_PREPOSITION}) )?(?:what|which) (?!(?:{_NO_NOUN})\b)(?:\w+ ){{1,5}}?(?:{_FINITE}|{_STATIVE})\b",
        rf"(?:where|when) (?:{_FINITE})\b",
        r"(?:what|which|where|when)(?: ones?| else)?\W*$",
        rf"(?:what|which) (?!(?:{_NO_NOUN})\b)\w+(?: \w+)?\?",
        r"(?:who|whom|whose|how|why)\b",
        r"(?:is|are|was|were|am|does|did)\b",
        r"has (?!to\b)",
        r"(?:do|have) (?:you|i|we|they|any)\b",
        r"(?:will|would|should|must) (?:the|a|an|it|this|that|there|any|i|we)\b",
        rf"(?:{_ASKED_TO}|(?:i|we) (?:want|need|would like) you to )?(?:{_SAYING})\b",
        rf"(?:(?:can|could) you {_POLITE})?(?:check|see|look) (?:if|whether|what|which|where|who|how)\b",
        rf"(?:can|could) you {_POLITE}(?:see(?! to\b| that\b)|recognise|recognize|detect|spot|notice)\b",
        rf"{_WONDERING}\b",
        r"(?:can|could|may) i (?:ask|know)\b(?! you to\b)",
    )
)
"""Beginnings of questions, after polite words; contractions are written out."""
_ASKED_BY_MARK = tuple(
    re.compile(pattern)
    for pattern in (
        r"any(?:thing|one|body)?\b",
        r"(?:you )?(?:see|holding)\b",
        rf"(?:there|it|(?:the|a|an|any|all)(?: (?!(?:{_NO_RELATIVE})\b)\w+){{1,3}}?) (?:is|are)\b",
    )
)
"""Beginnings of statements that a question mark makes a question: "the red block is in the blue bowl?"."""
_TOPIC = re.compile(r"(?:the|a|an|this|that|my|one|quick|i have|i am)(?: \w+){1,3}, *")
"""What goes before the question: "the red block, where is it?", "quick question, ..."."""
_DESTINATION = re.compile(r"\b(?:goes|go|belongs?|should|must|to be|(?:has|have|needs?) to)\b")
"""Verbs that say where something shall be."""
_REQUESTS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:how|what) about\b",
        r"(?:check|see|look) (?:if|whether) .*\band,? if\b",
        r"why (?:not|do not (?:you|we)|do(?:es)? (?:you|we) not)\b",
        r"do (?:you|i) (?:mind|want to|fancy)\b",
        r"do you think (?:you|we) (?:can|could|might)\b",
        rf"{_WONDERING} (?:if|whether) (?:you|we|it)\b",
        rf"(?:(?:can|could) you {_POLITE})?(?:check|see|look) (?:if|whether)\b.*\band if (?:so|not)\b",
        r"are you (?:able|willing|ready|free) to\b",
        r"(?:is|was|will|would|might) (?:it|that) (?:be )?(?:possible|ok|okay|all right|alright|fine|nice)\b",
        r"(?:is|would) there (?:be )?(?:a|any|some) (?:way|chance|possibility)\b",
        rf"(?:what|which) (?:is|are|was|were) .*{_DESTINATION.pattern}",
    )
)
"""Beginnings of requests that are spoken like questions, and statements of what shall be: "what is red goes ..."."""
_SKILLS = re.compile(
    r"(?:what (?:(?:can|could) you|you can) (?:do|help(?: me| us)? with)|what are you (?:able to do|capable of)"
    r"|what are your (?:skills|abilities|capabilities)|(?:what|which) skills do you have|how can you help(?: me| us)?)"
    r"(?: (?:for me|for us|here|now|robot|please))*\W*"
)
"""The whole of a question for the robot's skills."""


def question_in(text: str) -> str:
    """Return what a text asks, ready to be read: in lower case and with contractions written out.

    That is its last sentence, without polite words and without what goes before an indirect question ("tell me if").
    """
    last = _last_sentence(text)
    indirect = _INDIRECT.match(last)
    return last[indirect.end() :] if indirect else last


def is_question(text: str) -> bool:
    """Return whether a text asks for an answer, and not for an action."""
    last = _last_sentence(text)
    topic = _TOPIC.match(last) if last.endswith("?") else None
    asked = last[topic.end() :] if topic else last
    return not _begins(asked, _REQUESTS) and (_begins(asked, _QUESTIONS) or _asks_by_mark(last))


def asks_for_skills(text: str) -> bool:
    """Return whether a text asks what the robot can do, and nothing else: "what can you do?"."""
    return _SKILLS.fullmatch(question_in(text)) is not None


def _asks_by_mark(sentence: str) -> bool:
    return sentence.endswith("?") and _begins(sentence, _ASKED_BY_MARK) and not _DESTINATION.search(sentence)


def _begins(sentence: str, patterns: tuple[re.Pattern[str], ...]) -> bool:
    return any(pattern.match(sentence) for pattern in patterns)


def _last_sentence(text: str) -> str:
    """Return the last sentence without the polite words before it, in lower case, with contractions written out."""
    whole = " ".join(text.translate(_APOSTROPHES).lower().split())
    sentences = (_without_opening(sentence.strip(_AROUND)) for sentence in reversed(_SENTENCE_END.split(whole)))
    return _written_out(next((sentence for sentence in sentences if re.search(r"\w", sentence)), ""))


def _without_opening(sentence: str) -> str:
    opening = _OPENING.match(sentence)
    return sentence[opening.end() :] if opening else sentence


def _written_out(sentence: str) -> str:
    """Return a sentence with its contractions written out."""
    for pattern, whole in _CONTRACTIONS:
        sentence = re.sub(pattern, whole, sentence)
    return sentence
