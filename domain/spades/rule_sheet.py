"""A rule set told to people: made from its options, so that it cannot say anything else."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from textwrap import fill
from typing import Final

from msgspec import Struct

from spades.rules import (
    BidRule,
    DoubleNil,
    Game,
    Jokers,
    Option,
    Redeal,
    Rules,
    TenFor200,
)
from spades.seats import LAYOUTS

Sentence = Callable[[Rules], str]


class Section(Struct, frozen=True):
    """A heading of the sheet, and the sentences under it."""

    title: str
    sentences: tuple[str, ...]


def target(rules: Rules) -> str:
    """Who wins."""
    return (
        f"After a round a side at {rules.target} points or more wins, if it has strictly more than "
        "every other side; on equal tops play goes on."
    )


def floor(rules: Rules) -> str:
    """Who loses."""
    if rules.floor is None:
        return "No score is too low to go on."
    return f"A side at {rules.floor} or below ends the game: the highest score wins."


def max_rounds(rules: Rules) -> str:
    """When enough is enough."""
    return f"After {rules.max_rounds} rounds the highest score wins; equal tops are a draw."


def nil(rules: Rules) -> str:
    """What a nil is worth."""
    return (
        f"A bid of 0 is nil: it scores {rules.nil} if its player takes no trick, and else loses "
        f"{rules.nil}."
    )


def blind_nil(rules: Rules) -> str:
    """What a blind nil is worth, and how it is bid."""
    if rules.blind_nil is None:
        return "There is no blind nil."
    return (
        f"Blind nil, declared before the player has seen the cards, scores or loses "
        f"{rules.blind_nil}; who may bid it is shown the cards only on asking, or after the bid."
    )


def blind_nil_behind(rules: Rules) -> str:
    """Who may bid blind."""
    if rules.blind_nil is None:
        return ""
    if rules.blind_nil_behind is None:
        return "Anyone may bid blind nil."
    return (
        f"Blind nil is open to a side that is {rules.blind_nil_behind} points or more behind the "
        "best other side."
    )


def exchange(rules: Rules) -> str:
    """What follows a blind nil."""
    if not rules.exchange:
        return ""
    return (
        f"After a blind nil the bidder and the partner each choose {rules.exchange} cards, which "
        "change hands once both have chosen."
    )


def minimum_side_bid(rules: Rules) -> str:
    """How little a side may bid."""
    if not rules.minimum_side_bid:
        return ""
    if len(LAYOUTS[rules.game].sides[0]) == 1:
        return f"Each bids nil, or {rules.minimum_side_bid} or more."
    return (
        f"A side's contract is {rules.minimum_side_bid} or more: the second partner sees to it, "
        "or joins a partner's nil."
    )


SILENT: Final[Mapping[str, Option]] = {
    "bidding": BidRule.FREE,
    "double_nil": DoubleNil.EACH,
    "jokers": Jokers.NONE,
    "redeal": Redeal.OFF,
    "ten_for_200": TenFor200.OFF,
}
"""Values that say no more than that a variant is not played."""

NUMBERS: Final[Mapping[str, Sentence]] = {
    "target": target,
    "floor": floor,
    "max_rounds": max_rounds,
    "nil": nil,
    "blind_nil": blind_nil,
    "blind_nil_behind": blind_nil_behind,
    "exchange": exchange,
    "minimum_side_bid": minimum_side_bid,
}
"""The sentences of the options that are numbers; each value of the others brings its own."""

ALWAYS: Final[Mapping[str, tuple[str, ...]]] = {
    "The game": (),
    "Bidding": ("Bids go round once, from the dealer's left.",),
    "Play": (
        "Follow suit if you can; else play anything.",
        "The highest spade takes the trick, or without one the highest card of the suit led, and "
        "the winner leads to the next.",
    ),
    "Scoring": ("A contract that is made scores 10 for each trick of it; a trick more is a bag.",),
    "The end": (),
}
"""What holds in every game of Spades, under the headings in their order."""

OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "The game": ("game", "jokers", "redeal"),
    "Bidding": (
        "bidding",
        "minimum_side_bid",
        "nil",
        "blind_nil",
        "blind_nil_behind",
        "exchange",
    ),
    "Play": ("first_trick", "spade_lead", "breaks", "identical"),
    "Scoring": ("missed", "ten_for_200", "failed_nil", "double_nil", "bags"),
    "The end": ("target", "floor", "max_rounds"),
}
"""Every option, under the heading where a player would look for it."""


def rule_sheet(rules: Rules) -> tuple[Section, ...]:
    """The rule set in sentences, by headings."""
    return tuple(
        Section(title, (*ALWAYS[title], *_sentences(rules, options)))
        for title, options in OPTIONS.items()
    )


def _sentences(rules: Rules, options: tuple[str, ...]) -> Iterator[str]:
    for option in options:
        sentence = NUMBERS.get(option, partial(value_sentence, option))(rules)
        if sentence:
            yield sentence


def value_sentence(option: str, rules: Rules) -> str:
    """The sentence of the value that an option has; none where it makes no difference."""
    value: Option = getattr(rules, option)
    one_pack = rules.game is not Game.SIX_HANDED
    alone = len(LAYOUTS[rules.game].sides[0]) == 1
    idle = (option == "identical" and one_pack) or (option == "double_nil" and alone)
    return "" if idle or SILENT.get(option) is value else value.sentence


def as_text(title: str, sheet: tuple[Section, ...]) -> str:
    """The sheet for a terminal."""
    parts = [title, "=" * len(title)]
    for section in sheet:
        parts += ["", section.title]
        parts += [
            fill(sentence, 88, initial_indent="  - ", subsequent_indent="    ")
            for sentence in section.sentences
        ]
    return "\n".join(parts) + "\n"


def as_markdown(title: str, sheet: tuple[Section, ...]) -> str:
    """The sheet for a page."""
    parts = [f"# {title}"]
    for section in sheet:
        parts += ["", f"## {section.title}", ""]
        parts += [f"- {sentence}" for sentence in section.sentences]
    return "\n".join(parts) + "\n"
