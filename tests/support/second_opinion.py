"""A second opinion on the rules of Spades: slow, obvious, and written apart from the domain.

Nothing here is shared with the package it is compared with: a rule set is a plain mapping from
option to value, a card is two letters with its suit first, a seat is a number counted clockwise,
a bid is a number (0 is nil) or the words "blind-nil".
"""

from typing import TypeAlias, TypedDict

Rules: TypeAlias = dict[str, object]
Bid: TypeAlias = int | str

BLIND_NIL = "blind-nil"
SUITS = "CDHS"
RANKS = "23456789TJQKA"


class SideScore(TypedDict):
    """What one round did to one side."""

    contract: int
    taken: int
    lines: list[tuple[str, int]]
    change: int
    bags_after: int


def number(rules: Rules, option: str) -> int:
    """Give the value of an option that is "a number"."""
    value = rules[option]
    if not isinstance(value, int):
        raise TypeError(f"{option} must be a number, not {value!r}")
    return value


# Players, sides and cards


def players(rules: Rules) -> int:
    """Count the seats: the game's name says it, and cutthroat is "four players, 13 each"."""
    if rules["game"] == "two-handed":
        return 2
    if rules["game"] == "three-handed":
        return 3
    if rules["game"] == "six-handed":
        return 6
    return 4


def tricks_in_round(rules: Rules) -> int:
    """Count the tricks: "17 tricks, bids 0-17" or "0 to 13 tricks each"."""
    if rules["game"] in ("three-handed", "six-handed"):
        return 17
    return 13


def sides(rules: Rules) -> list[list[int]]:
    """List the sides: "partners sit opposite", "seats i and i+3", or "each alone"."""
    if rules["game"] == "partnership":
        return [[0, 2], [1, 3]]
    if rules["game"] == "six-handed":
        return [[0, 3], [1, 4], [2, 5]]
    return [[seat] for seat in range(players(rules))]


def each_alone(rules: Rules) -> bool:
    """Tell whether the sides are "each alone"."""
    return rules["game"] in ("two-handed", "three-handed", "cutthroat")


def partner(rules: Rules, seat: int) -> int | None:
    """Name the other seat of the side: "partners sit opposite"."""
    for side in sides(rules):
        for other in side:
            if seat in side and other != seat:
                return other
    return None


def pack(rules: Rules) -> list[str]:
    """List every card: "52 cards", or "two packs shuffled together less both 2 of clubs"."""
    cards = [suit + rank for suit in SUITS for rank in RANKS]
    if rules["game"] == "six-handed":
        cards = cards + cards
        cards.remove("C2")
        cards.remove("C2")
    if rules["jokers"] != "none":
        cards.remove("H2")
        cards.remove("C2")
        cards = [*cards, "LJ", "BJ"]
    return cards


def contradiction(rules: Rules) -> str | None:
    """Say why a rule set is "refused when a table is opened, with the reason", if it is."""
    alone = each_alone(rules)
    two_handed = rules["game"] == "two-handed"
    six_handed = rules["game"] == "six-handed"
    blind_nil = rules["blind_nil"] is not None
    exchange = rules["exchange"] != 0
    minimum = rules["minimum_side_bid"] != 0
    refused = {
        "six-handed with jokers": six_handed and rules["jokers"] != "none",
        "suicide each alone": rules["bidding"] == "suicide" and alone,
        "a minimum with mirror or whiz": minimum and rules["bidding"] in ("mirror", "whiz"),
        "blind nil two-handed": blind_nil and two_handed,
        "an exchange two-handed": exchange and two_handed,
        "an exchange each alone": exchange and alone,
        "blind nil with mirror": blind_nil and rules["bidding"] == "mirror",
    }
    for reason, is_so in refused.items():
        if is_so:
            return reason
    return None


# Spades and suits


def trump_order(rules: Rules) -> list[str]:
    """List the spades from the highest: "Big > Little > 2 of diamonds > 2 of spades > A"."""
    ace_to_three = ["S" + rank for rank in "AKQJT9876543"]
    if rules["jokers"] == "big-little":
        return ["BJ", "LJ", *ace_to_three, "S2"]
    if rules["jokers"] == "deuces":
        return ["BJ", "LJ", "D2", "S2", *ace_to_three]
    return [*ace_to_three, "S2"]


def is_spade(rules: Rules, card: str) -> bool:
    """Tell a spade: "both are spades", and "the 2 of diamonds is a spade, never a diamond"."""
    return card in trump_order(rules)


def suit_of(rules: Rules, card: str) -> str:
    """Name the suit a card has "for following, leading, breaking, mirror and whiz"."""
    if is_spade(rules, card):
        return "S"
    return card[0]


def only_spades(rules: Rules, hand: list[str]) -> bool:
    """Tell whether the player "holds nothing but spades"."""
    return all(is_spade(rules, card) for card in hand)


def strength(rules: Rules, card: str) -> int:
    """Give a number that is higher for a higher card of the same suit: "A high to 2"."""
    if is_spade(rules, card):
        return -trump_order(rules).index(card)
    return RANKS.index(card[1])


# Bidding


def is_nil(bid: Bid) -> bool:
    """Tell a nil: "a zero bid is nil", and "a blind nil is a nil"."""
    return bid in (0, BLIND_NIL)


def contract_of(bids: list[Bid]) -> int:
    """Add up: "the contract of a side is the sum of its bids that are not nil"."""
    return sum(int(bid) for bid in bids if not is_nil(bid))


def may_bid_blind(rules: Rules, scores: list[int], side_index: int) -> bool:
    """Ask for "points behind the best other side, or null: anyone"."""
    if rules["blind_nil"] is None:
        return False
    if rules["game"] == "two-handed" or rules["bidding"] == "mirror":
        return False
    if rules["blind_nil_behind"] is None:
        return True
    best_other = max(score for index, score in enumerate(scores) if index != side_index)
    return best_other - scores[side_index] >= number(rules, "blind_nil_behind")


def bid_keeps_house_rule(rules: Rules, hand: list[str], partners_bid: Bid | None, bid: Bid) -> bool:
    """Apply suicide, mirror and whiz: "the number of spades held, or nil"."""
    spades_held = len([card for card in hand if is_spade(rules, card)])
    if rules["bidding"] == "mirror":
        return bid == spades_held
    if rules["bidding"] == "whiz":
        return bid == spades_held or is_nil(bid)
    if rules["bidding"] == "suicide" and partners_bid is not None:
        return is_nil(bid) != is_nil(partners_bid)
    return True


def bid_keeps_minimum(rules: Rules, partners_bid: Bid | None, bid: Bid) -> bool:
    """Refuse the second who would "leave a contract below the minimum"."""
    minimum = number(rules, "minimum_side_bid")
    if each_alone(rules):
        return is_nil(bid) or contract_of([bid]) >= minimum
    if partners_bid is None:
        return True
    if is_nil(partners_bid) and is_nil(bid):
        return True
    if rules["bidding"] == "suicide" and not is_nil(partners_bid):
        # Suicide leaves this player nothing but a nil, so the minimum cannot bind them too.
        return True
    return contract_of([partners_bid, bid]) >= minimum


def bid_refusal(  # noqa: PLR0917
    rules: Rules,
    hand: list[str],
    bids_so_far: dict[int, Bid],
    seat: int,
    bid: Bid,
    looked: bool,
    scores: list[int],
) -> str | None:
    """Name "the first of" "range, blind nil allowed, already looked, house rule", "minimum"."""
    (side_index,) = [index for index, side in enumerate(sides(rules)) if seat in side]
    other = partner(rules, seat)
    partners_bid = None if other is None else bids_so_far.get(other)
    if isinstance(bid, int) and not 0 <= bid <= tricks_in_round(rules):
        return "BID_OUT_OF_RANGE"
    if bid == BLIND_NIL and not may_bid_blind(rules, scores, side_index):
        return "BLIND_NIL_NOT_ALLOWED"
    if bid == BLIND_NIL and looked:
        return "ALREADY_LOOKED"
    if not bid_keeps_house_rule(rules, hand, partners_bid, bid):
        return "BID_NOT_ALLOWED"
    if not bid_keeps_minimum(rules, partners_bid, bid):
        return "BID_BELOW_MINIMUM"
    return None


# Play


def clubs_are_in_play(rules: Rules, hands: list[list[str]]) -> bool:
    """Tell whether any player holds a club, for "with no club in play"."""
    return any(suit_of(rules, card) == "C" for hand in hands for card in hand)


def lowest_club(rules: Rules, hand: list[str]) -> str | None:
    """Find "the lowest club they hold", if they hold any."""
    clubs = [card for card in hand if suit_of(rules, card) == "C"]
    if not clubs:
        return None
    return min(clubs, key=lambda card: strength(rules, card))


def is_lowest_club_trick(rules: Rules, trick_number: int, clubs_in_play: bool = True) -> bool:
    """Tell whether this is the trick on which "everyone plays the lowest club they hold"."""
    return rules["first_trick"] == "lowest-clubs" and trick_number == 1 and clubs_in_play


def first_leader(rules: Rules, dealer: int, hands: list[list[str]]) -> int:
    """Find who leads first: "left of the dealer", or "the lowest club leads"."""
    from_dealers_left = [(dealer + 1 + step) % players(rules) for step in range(players(rules))]
    if rules["first_trick"] == "lowest-clubs":
        for rank in RANKS:
            for seat in from_dealers_left:
                if "C" + rank in hands[seat]:
                    return seat
    return from_dealers_left[0]


def play_refusal(  # noqa: PLR0917
    rules: Rules,
    hand: list[str],
    trick: list[str],
    trick_number: int,
    broken: bool,
    card: str,
    clubs_in_play: bool = True,
) -> str | None:
    """Answer "with the first of" "`CARD_NOT_HELD`, then the trick's rule"."""
    if card not in hand:
        return "CARD_NOT_HELD"
    if is_lowest_club_trick(rules, trick_number, clubs_in_play):
        return lowest_club_trick_refusal(rules, hand, card)
    if not trick:
        return lead_refusal(rules, hand, broken, card)
    return follow_refusal(rules, hand, trick, card)


def lowest_club_trick_refusal(rules: Rules, hand: list[str], card: str) -> str | None:
    """Demand the lowest club, and else "no spade", "unless the player holds nothing else"."""
    club = lowest_club(rules, hand)
    if club is not None and card != club:
        return "MUST_PLAY_LOWEST_CLUB"
    if club is None and is_spade(rules, card) and not only_spades(rules, hand):
        return "NO_SPADE_ON_FIRST_TRICK"
    return None


def lead_refusal(rules: Rules, hand: list[str], broken: bool, card: str) -> str | None:
    """Hold to "a spade may not be led until spades are broken", save from only spades."""
    if not is_spade(rules, card):
        return None
    if rules["spade_lead"] == "any-time" or broken or only_spades(rules, hand):
        return None
    return "SPADES_NOT_BROKEN"


def follow_refusal(rules: Rules, hand: list[str], trick: list[str], card: str) -> str | None:
    """Hold to "follow suit if you can; else play anything"."""
    led = suit_of(rules, trick[0])
    can_follow = any(suit_of(rules, held) == led for held in hand)
    if can_follow and suit_of(rules, card) != led:
        return "MUST_FOLLOW_SUIT"
    return None


def legal_plays(  # noqa: PLR0917
    rules: Rules,
    hand: list[str],
    trick: list[str],
    trick_number: int,
    broken: bool,
    clubs_in_play: bool = True,
) -> list[str]:
    """List each card that is not refused: "follow suit if you can; else play anything"."""
    return [
        card
        for card in sorted(set(hand))
        if play_refusal(rules, hand, trick, trick_number, broken, card, clubs_in_play) is None
    ]


def breaks_spades(  # noqa: PLR0917
    rules: Rules,
    hand_before: list[str],
    trick_before: list[str],
    card: str,
    trick_number: int,
    clubs_in_play: bool = True,
) -> bool:
    """Tell "a spade discarded on another suit" or one "led from a hand of only spades"."""
    if not is_spade(rules, card):
        return False
    if is_lowest_club_trick(rules, trick_number, clubs_in_play):
        return True
    if trick_before:
        return suit_of(rules, trick_before[0]) != "S"
    return rules["breaks"] == "discard-or-lead" and only_spades(rules, hand_before)


def winner(
    rules: Rules, cards_in_order: list[str], trick_number: int, clubs_in_play: bool = True
) -> int:
    """Find it: "the highest spade wins; without a spade, the highest card of the suit led"."""
    suits = [suit_of(rules, card) for card in cards_in_order]
    if is_lowest_club_trick(rules, trick_number, clubs_in_play):
        winning_suit = "C"
    elif "S" in suits:
        winning_suit = "S"
    else:
        winning_suit = suits[0]
    contenders = [card for card in cards_in_order if suit_of(rules, card) == winning_suit]
    best = max(contenders, key=lambda card: strength(rules, card))
    places = [place for place, card in enumerate(cards_in_order) if card == best]
    if rules["identical"] == "second":
        return places[-1]
    return places[0]


# Scoring


def score_side(rules: Rules, bids: list[Bid], taken: list[int], bags_before: int) -> SideScore:
    """Score a round for a side: "a score sheet shows each of these lines separately"."""
    contract = contract_of(bids)
    nil_tricks = sum(tricks for bid, tricks in zip(bids, taken, strict=True) if is_nil(bid))
    counting = sum(taken)
    if rules["failed_nil"] == "bags":
        counting = counting - nil_tricks

    if is_double_nil_unit(rules, bids):
        new_bags = 0
        lines = [double_nil_line(taken)]
    else:
        new_bags = bags_made(rules, contract, counting, nil_tricks)
        lines = contract_lines(rules, contract, counting) + nil_lines(rules, bids, taken)
    penalty, bags_after = settle_bags(rules, bags_before + new_bags)

    if new_bags != 0:
        lines.append(("bags", new_bags))
    if penalty != 0:
        lines.append(("bag penalty", penalty))
    return {
        "contract": contract,
        "taken": counting,
        "lines": lines,
        "change": sum(points for _, points in lines),
        "bags_after": bags_after,
    }


def contract_lines(rules: Rules, contract: int, taken: int) -> list[tuple[str, int]]:
    """Price the contract: "made: `+10 x contract`", "missed: `-10 x contract` (or 0 ...)"."""
    if contract == 0:
        return []
    ten_for_200 = rules["ten_for_200"] == "on" and contract == 10
    if taken >= contract:
        return [("contract made", 200 if ten_for_200 else 10 * contract)]
    if ten_for_200:
        return [("contract missed", -200)]
    if rules["missed"] == "zero":
        return [("contract missed", 0)]
    return [("contract missed", -10 * contract)]


def nil_lines(rules: Rules, bids: list[Bid], taken: list[int]) -> list[tuple[str, int]]:
    """Price each nil: "each nil bidder is settled alone, also when both partners bid nil"."""
    lines = []
    for bid, tricks in zip(bids, taken, strict=True):
        if not is_nil(bid):
            continue
        if bid == BLIND_NIL:
            name, worth = "blind nil", number(rules, "blind_nil")
        else:
            name, worth = "nil", number(rules, "nil")
        if tricks == 0:
            lines.append((f"{name} made", worth))
        else:
            lines.append((f"{name} failed", -worth))
    return lines


def is_double_nil_unit(rules: Rules, bids: list[Bid]) -> bool:
    """Tell whether "both partners nil, blind or not" is settled as a unit."""
    return rules["double_nil"] == "unit" and len(bids) == 2 and all(is_nil(bid) for bid in bids)


def double_nil_line(taken: list[int]) -> tuple[str, int]:
    """Price both nils as a unit: "+200 if neither takes a trick, else -200"."""
    if sum(taken) == 0:
        return ("double nil made", 200)
    return ("double nil failed", -200)


def bags_made(rules: Rules, contract: int, taken: int, nil_tricks: int) -> int:
    """Count the bags: "every trick above it is a bag", and perhaps a failed nil's tricks."""
    bags = 0
    if taken >= contract:
        bags = bags + taken - contract
    if rules["failed_nil"] == "bags":
        bags = bags + nil_tricks
    return bags


def settle_bags(rules: Rules, count: int) -> tuple[int, int]:
    """Take the penalty and give what is left of the count: "at every 10th: -100"."""
    penalty = 0
    if rules["bags"] == "carry":
        while count >= 10:
            penalty = penalty - 100
            count = count - 10
    if rules["bags"] == "reset" and count >= 10:
        penalty = -100
        count = 0
    return penalty, count


# The end


def game_over(rules: Rules, scores: list[int], round_number: int) -> list[int] | None:
    """Name who won, if it is over: "a side at the target or above" and alone at the top."""
    top = max(scores)
    at_the_top = [side for side, score in enumerate(scores) if score == top]
    alone_at_the_top = len(at_the_top) == 1
    if top >= number(rules, "target") and alone_at_the_top:
        return at_the_top
    if rules["floor"] is not None:
        a_side_fell = any(score <= number(rules, "floor") for score in scores)
        if a_side_fell and alone_at_the_top:
            return at_the_top
    if round_number >= number(rules, "max_rounds"):
        return at_the_top if alone_at_the_top else []
    return None
