"""Rule sets for properties: any value of any option, with and without contradictions."""

from typing import Final

from hypothesis import strategies as st

from spades.rules import (
    Bags,
    BidRule,
    Breaks,
    DoubleNil,
    FailedNil,
    FirstTrick,
    Game,
    Identical,
    Jokers,
    Missed,
    Redeal,
    Rules,
    SpadeLead,
    TenFor200,
    nearest,
)

ANY_RULES: Final[st.SearchStrategy[Rules]] = st.builds(
    Rules,
    game=st.sampled_from((*Game, Game.PARTNERSHIP, Game.SIX_HANDED)),
    target=st.sampled_from((500, 150, 60)),
    floor=st.sampled_from((None, -1, -100, -200)),
    max_rounds=st.sampled_from((2, 3, 4)),
    nil=st.sampled_from((100, 50, 0)),
    blind_nil=st.sampled_from((200, 100, None)),
    blind_nil_behind=st.sampled_from((None, None, 0, 40, 100)),
    exchange=st.sampled_from((2, 0)),
    failed_nil=st.sampled_from(FailedNil),
    missed=st.sampled_from(Missed),
    bags=st.sampled_from(Bags),
    first_trick=st.sampled_from(FirstTrick),
    breaks=st.sampled_from(Breaks),
    minimum_side_bid=st.sampled_from((0, 0, 1, 4, 13, 20)),
    jokers=st.sampled_from(Jokers),
    bidding=st.sampled_from(BidRule),
    spade_lead=st.sampled_from(SpadeLead),
    ten_for_200=st.sampled_from(TenFor200),
    double_nil=st.sampled_from(DoubleNil),
    redeal=st.sampled_from(Redeal),
    identical=st.sampled_from(Identical),
)
"""Every option at random: most of these contradict themselves somewhere. Games are short, and
partners as frequent as players who are each alone.
"""

RULE_SETS: Final = ANY_RULES.map(nearest)
"""Rule sets that can be played."""
