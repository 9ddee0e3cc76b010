"""Rule sets: every disagreement between the written rules of Spades is one named option."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final, Literal, Self

from msgspec import Meta, Struct, ValidationError, convert, to_builtins
from msgspec.structs import replace

from spades.refusals import RefusalCode, Refused

Positive = Annotated[int, Meta(gt=0, le=1_000_000)]
Negative = Annotated[int, Meta(lt=0, ge=-1_000_000)]
Points = Annotated[int, Meta(ge=0, le=10_000)]


class Option(StrEnum):
    """One way to play, with the sentence that tells it to people."""

    sentence: str

    def __new__(cls, value: str, sentence: str) -> Self:
        """A value as records spell it, and its sentence."""
        option = str.__new__(cls, value)
        option._value_ = value
        option.sentence = sentence
        return option


class Game(Option):
    """How many play, and who with whom (rules, section 5)."""

    PARTNERSHIP = "partnership", "Four play, partners opposite each other; 13 cards each."
    TWO_HANDED = (
        "two-handed",
        "Two play, each alone, and draw their 13 cards: look at the top card of the stock, "
        "keep it and the next goes face down unseen, or discard it and take the next.",
    )
    THREE_HANDED = (
        "three-handed",
        "Three play, each alone, with 17 cards each; one card is set aside face down.",
    )
    SIX_HANDED = (
        "six-handed",
        "Six play in three sides of two, partners opposite, with 17 cards each from two packs "
        "less both 2 of clubs.",
    )
    CUTTHROAT = "cutthroat", "Four play, each alone, with 13 cards each."


class FailedNil(Option):
    """What the tricks of a failed nil do."""

    FILL = "fill", "The tricks of a failed nil count towards the side's contract."
    BAGS = "bags", "The tricks of a failed nil never fill the contract: each is a bag."


class Missed(Option):
    """What a missed contract costs."""

    MINUS = "minus", "A missed contract costs 10 for each trick of it."
    ZERO = "zero", "A missed contract costs nothing and brings nothing."


class Bags(Option):
    """What ten bags cost."""

    CARRY = "carry", "Every 10 bags cost 100 and are taken off the count; the rest stays."
    RESET = "reset", "At 10 bags or more the side loses 100, once, and its count goes back to 0."
    OFF = "off", "Bags are counted and cost nothing."


class FirstTrick(Option):
    """How a round's first trick is played."""

    DEALERS_LEFT = "dealers-left", "The player left of the dealer leads to the first trick."
    LOWEST_CLUBS = (
        "lowest-clubs",
        "To the first trick everyone plays the lowest club they hold, and the 2 of clubs leads. "
        "Without a club a diamond or a heart is played; a spade only by who holds nothing else, "
        "and it does not win.",
    )


class Breaks(Option):
    """When spades are broken."""

    DISCARD = "discard", "Spades are broken when a spade is discarded on another suit."
    DISCARD_OR_LEAD = (
        "discard-or-lead",
        "Spades are broken when a spade is discarded on another suit, "
        "or led from a hand of only spades.",
    )


class Jokers(Option):
    """Which cards beat the ace of spades."""

    NONE = "none", "No jokers: the ace of spades is the highest card."
    BIG_LITTLE = (
        "big-little",
        "The Big Joker and the Little Joker are the highest spades, "
        "in place of the 2 of hearts and the 2 of clubs.",
    )
    DEUCES = (
        "deuces",
        "The Big Joker, the Little Joker, the 2 of diamonds and the 2 of spades are, in this "
        "order, the highest spades; the 2 of hearts and the 2 of clubs leave the pack.",
    )


class BidRule(Option):
    """What a player may bid."""

    FREE = "free", "Any number of tricks may be bid."
    SUICIDE = (
        "suicide",
        "Of two partners exactly one bids nil: the second must if the first did not, "
        "and may not if the first did.",
    )
    MIRROR = "mirror", "Each bids the number of spades held; who holds none bids nil."
    WHIZ = "whiz", "Each bids the number of spades held, or nil."


class SpadeLead(Option):
    """When a spade may be led."""

    BROKEN = (
        "broken",
        "A spade may not be led until spades are broken, unless the leader holds nothing else.",
    )
    ANY_TIME = "any-time", "A spade may be led at any time."


class TenFor200(Option):
    """What a contract of exactly ten is worth."""

    OFF = "off", "A contract of 10 counts like any other."
    ON = "on", "A contract of exactly 10 scores 200 if made and loses 200 if missed."


class DoubleNil(Option):
    """How two nils on one side are settled."""

    EACH = "each", "Partners who both bid nil are settled each alone."
    UNIT = (
        "unit",
        "Partners who both bid nil score 200 if neither takes a trick, and else lose 200; no bags.",
    )


class Redeal(Option):
    """When a deal may be thrown in."""

    OFF = "off", "Every deal is played."
    NO_SPADE = (
        "no-spade",
        "A player dealt no spade may ask for a new deal before bidding; the dealer stays.",
    )


class Identical(Option):
    """Which of two equal cards wins, where two packs are in play."""

    FIRST = "first", "Of two equal cards the first played wins."
    SECOND = "second", "Of two equal cards the second played wins."


class Rules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way to play, every option resolved (rules, section 4).

    It rides in a table's first event, so an old game keeps its own rules for ever. Points and
    cards are plain numbers; `None` stands for *none*.
    """

    game: Game
    target: Positive
    floor: Negative | None
    max_rounds: Annotated[int, Meta(gt=0, le=10_000)]
    nil: Points
    blind_nil: Points | None
    blind_nil_behind: Annotated[int, Meta(ge=0, le=1_000_000)] | None
    exchange: Literal[0, 2]
    failed_nil: FailedNil
    missed: Missed
    bags: Bags
    first_trick: FirstTrick
    breaks: Breaks
    minimum_side_bid: Annotated[int, Meta(ge=0, le=1_000_000)]
    jokers: Jokers
    bidding: BidRule
    spade_lead: SpadeLead
    ten_for_200: TenFor200
    double_nil: DoubleNil
    redeal: Redeal
    identical: Identical


CLASSIC: Final = Rules(
    game=Game.PARTNERSHIP,
    target=500,
    floor=None,
    max_rounds=100,
    nil=100,
    blind_nil=None,
    blind_nil_behind=None,
    exchange=0,
    failed_nil=FailedNil.FILL,
    missed=Missed.MINUS,
    bags=Bags.RESET,
    first_trick=FirstTrick.DEALERS_LEFT,
    breaks=Breaks.DISCARD,
    minimum_side_bid=0,
    jokers=Jokers.NONE,
    bidding=BidRule.FREE,
    spade_lead=SpadeLead.BROKEN,
    ten_for_200=TenFor200.OFF,
    double_nil=DoubleNil.EACH,
    redeal=Redeal.OFF,
    identical=Identical.FIRST,
)


class Preset(Struct, frozen=True):
    """A rule set with a name, the sentence that sets it apart, and the targets a client offers."""

    rules: Rules
    sentence: str
    targets: tuple[int, ...] = (500,)


PRESETS: Final[Mapping[str, Preset]] = {
    "classic": Preset(CLASSIC, "The plain game: no blind nil, and ten bags wipe the count."),
    "cheettukali": Preset(
        replace(CLASSIC, floor=-200, failed_nil=FailedNil.BAGS, bags=Bags.CARRY),
        "A side at -200 ends the game, and the tricks of a failed nil are bags.",
        (500, 250, 300),
    ),
    "lowest-club": Preset(
        replace(
            CLASSIC, nil=50, blind_nil=100, bags=Bags.CARRY, first_trick=FirstTrick.LOWEST_CLUBS
        ),
        "Everyone opens with the lowest club; nil is 50, blind nil 100.",
    ),
    "bicycle": Preset(
        replace(CLASSIC, failed_nil=FailedNil.BAGS, missed=Missed.ZERO, bags=Bags.OFF),
        "A missed contract costs nothing, and bags are free.",
        (500, 200, 300),
    ),
    "modern": Preset(
        replace(
            CLASSIC,
            blind_nil=200,
            blind_nil_behind=100,
            exchange=2,
            failed_nil=FailedNil.BAGS,
            bags=Bags.CARRY,
        ),
        "Blind nil for a side that is 100 behind, with two cards exchanged.",
        (500, 200, 300),
    ),
    "campus": Preset(
        replace(CLASSIC, bags=Bags.CARRY, breaks=Breaks.DISCARD_OR_LEAD),
        "Leading a spade from a hand of only spades breaks them too.",
        (500, 250),
    ),
    "two-handed": Preset(
        replace(CLASSIC, game=Game.TWO_HANDED), "Two players, who draw their hands card by card."
    ),
    "three-handed": Preset(
        replace(CLASSIC, game=Game.THREE_HANDED), "Three players, each alone, 17 cards each."
    ),
    "six-handed": Preset(
        replace(CLASSIC, game=Game.SIX_HANDED), "Six players in three sides, with two packs."
    ),
    "cutthroat": Preset(
        replace(CLASSIC, game=Game.CUTTHROAT), "Four players, each alone against the rest."
    ),
    "jokers": Preset(
        replace(CLASSIC, jokers=Jokers.BIG_LITTLE), "Two jokers above the ace of spades."
    ),
    "joker-joker-deuce-deuce": Preset(
        replace(CLASSIC, jokers=Jokers.DEUCES),
        "Two jokers, the 2 of diamonds and the 2 of spades above the ace of spades.",
    ),
    "suicide": Preset(
        replace(CLASSIC, bidding=BidRule.SUICIDE), "One of each two partners must bid nil."
    ),
    "mirror": Preset(
        replace(CLASSIC, bidding=BidRule.MIRROR), "Everyone bids the number of spades they hold."
    ),
    "whiz": Preset(replace(CLASSIC, bidding=BidRule.WHIZ), "The number of spades held, or nil."),
}
"""The presets by name, in the order in which they are shown (rules, section 4)."""

SCHEMA: Final = {field: Rules.__annotations__[field] for field in Rules.__struct_fields__}


def resolve(preset: str | None, options: Mapping[str, object]) -> Rules:
    """The full rule set of a preset and what overrides it; without a preset every option is named.

    Values are those of records and JSON: `{"floor": -200, "bags": "carry"}`. Raises Refused with
    UNKNOWN_PRESET or BAD_RULES, naming the option and what it may be.
    """
    for key in options:
        if key not in SCHEMA:
            raise Refused(
                RefusalCode.BAD_RULES,
                f"there is no option {key!r:.60}: the options are {_all(SCHEMA)}",
            )
    missing = [key for key in SCHEMA if key not in options] if preset is None else []
    if missing:
        raise Refused(
            RefusalCode.BAD_RULES,
            f"a rule set without a preset names every option: {_all(missing)} missing",
        )
    resolved = {**_base(preset), **options}
    for key, value in resolved.items():
        try:
            convert(value, SCHEMA[key])
        except ValidationError as error:
            raise Refused(
                RefusalCode.BAD_RULES, f"{key} cannot be {value!r:.60}: {_reason(key, error)}"
            ) from None
    rules = convert(resolved, Rules)
    refuse_contradiction(rules)
    return rules


def _base(preset: str | None) -> Mapping[str, object]:
    if preset is None:
        return {}
    if preset not in PRESETS:
        raise Refused(
            RefusalCode.UNKNOWN_PRESET,
            f"there is no preset {preset!r:.60}: the presets are {_all(PRESETS)}",
        )
    return to_builtins(PRESETS[preset].rules)  # type: ignore[no-any-return]


def _reason(key: str, error: ValidationError) -> str:
    kind = SCHEMA[key]
    if isinstance(kind, type) and issubclass(kind, Option):
        return f"it is one of {_all(kind)}"
    if key == "exchange":
        return "it is 0 or 2"
    return str(error).removesuffix(" - at `$`").lower()


def _all(words: object) -> str:
    return ", ".join(str(word) for word in words)  # type: ignore[attr-defined]


class Contradiction(Struct, frozen=True):
    """Two options that cannot both hold, and the nearest change that ends it."""

    reason: str
    mend: Mapping[str, object]


def contradictions(rules: Rules) -> tuple[Contradiction, ...]:
    """Which options of a rule set contradict each other (rules, section 6, last paragraph)."""
    alone = rules.game not in (Game.PARTNERSHIP, Game.SIX_HANDED)
    two_handed = rules.game is Game.TWO_HANDED
    counted = rules.bidding in (BidRule.MIRROR, BidRule.WHIZ)
    tricks = 17 if rules.game in (Game.THREE_HANDED, Game.SIX_HANDED) else 13
    found = (
        (
            rules.game is Game.SIX_HANDED and rules.jokers is not Jokers.NONE,
            Contradiction("six-handed is played without jokers", {"jokers": Jokers.NONE}),
        ),
        (
            alone and rules.bidding is BidRule.SUICIDE,
            Contradiction(
                "suicide needs partners, and here each plays alone", {"bidding": BidRule.FREE}
            ),
        ),
        (
            counted and rules.minimum_side_bid > 0,
            Contradiction(
                f"a minimum side bid cannot bind bids that {rules.bidding} fixes",
                {"minimum_side_bid": 0},
            ),
        ),
        (
            rules.minimum_side_bid > tricks,
            Contradiction(
                f"a minimum side bid above {tricks} cannot be met in {tricks} tricks",
                {"minimum_side_bid": tricks},
            ),
        ),
        (
            two_handed and rules.blind_nil is not None,
            Contradiction(
                "there is no blind nil two-handed: who draws has seen the cards",
                {"blind_nil": None},
            ),
        ),
        (
            alone and rules.exchange > 0,
            Contradiction(
                "cards are exchanged between partners, and here each plays alone", {"exchange": 0}
            ),
        ),
        (
            rules.bidding is BidRule.MIRROR and rules.blind_nil is not None,
            Contradiction(
                "mirror counts the spades held, which a blind bid has not seen",
                {"blind_nil": None},
            ),
        ),
    )
    return tuple(contradiction for holds, contradiction in found if holds)


def nearest(rules: Rules) -> Rules:
    """The rule set with only those options changed that contradict another."""
    while found := contradictions(rules):  # one change may end several
        rules = replace(rules, **found[0].mend)
    return rules


def refuse_contradiction(rules: Rules) -> None:
    """Raises Refused with BAD_RULES, the reasons, and the nearest rule set that works."""
    found = contradictions(rules)
    if not found:
        return
    works = nearest(rules)
    changes = _all(
        f"{key} {to_builtins(getattr(works, key))}"
        for key in SCHEMA
        if getattr(works, key) != getattr(rules, key)
    ).replace("None", "none")
    reasons = "; ".join(contradiction.reason for contradiction in found)
    raise Refused(RefusalCode.BAD_RULES, f"{reasons}; what would work: {changes}")
