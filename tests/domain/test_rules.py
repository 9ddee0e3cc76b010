"""A rule set names every option; presets are as written, and what contradicts itself is refused."""

from typing import Final

import pytest
from hypothesis import given as for_all
from msgspec import to_builtins
from msgspec.structs import replace

from spades.refusals import RefusalCode, Refused
from spades.rules import (
    CLASSIC,
    PRESETS,
    SCHEMA,
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
    Option,
    Redeal,
    Rules,
    SpadeLead,
    TenFor200,
    contradictions,
    nearest,
    refuse_contradiction,
    resolve,
)
from support.rule_sets import ANY_RULES
from support.second_opinion import contradiction
from support.table_spec import rule_set

AS_WRITTEN: Final = """
                  classic       cheettukali  lowest-club   bicycle  modern  campus
game              partnership   .            .             .        .       .
target            500           .            .             .        .       .
floor             null          -200         .             .        .       .
max_rounds        100           .            .             .        .       .
nil               100           .            50            .        .       .
blind_nil         null          .            100           .        200     .
blind_nil_behind  null          .            .             .        100     .
exchange          0             .            .             .        2       .
failed_nil        fill          bags         .             bags     bags    .
missed            minus         .            .             zero     .       .
bags              reset         carry        carry         off      carry   carry
first_trick       dealers-left  .            lowest-clubs  .        .       .
breaks            discard       .            .             .        .       discard-or-lead
minimum_side_bid  0             .            .             .        .       .
jokers            none          .            .             .        .       .
bidding           free          .            .             .        .       .
spade_lead        broken        .            .             .        .       .
ten_for_200       off           .            .             .        .       .
double_nil        each          .            .             .        .       .
redeal            off           .            .             .        .       .
identical         first         .            .             .        .       .
"""
"""The presets, with a dot where one is like `classic`."""

CLASSIC_WITH: Final[dict[str, dict[str, object]]] = {
    "two-handed": {"game": "two-handed"},
    "three-handed": {"game": "three-handed"},
    "six-handed": {"game": "six-handed"},
    "cutthroat": {"game": "cutthroat"},
    "jokers": {"jokers": "big-little"},
    "joker-joker-deuce-deuce": {"jokers": "deuces"},
    "suicide": {"bidding": "suicide"},
    "mirror": {"bidding": "mirror"},
    "whiz": {"bidding": "whiz"},
}
"""The presets that are `classic` with what is named."""

TARGETS: Final = {
    "cheettukali": (500, 250, 300),
    "bicycle": (500, 200, 300),
    "modern": (500, 200, 300),
    "campus": (500, 250),
}
"""What a client offers; every other preset has 500 alone."""

VALUES: Final[dict[str, tuple[object, ...]]] = {
    "game": ("partnership", "two-handed", "three-handed", "six-handed", "cutthroat"),
    "target": (1, 200, 500, 1_000),
    "floor": (None, -1, -200),
    "max_rounds": (1, 100),
    "nil": (0, 50, 100),
    "blind_nil": (None, 0, 100, 200),
    "blind_nil_behind": (None, 0, 100),
    "exchange": (0, 2),
    "failed_nil": ("fill", "bags"),
    "missed": ("minus", "zero"),
    "bags": ("carry", "reset", "off"),
    "first_trick": ("dealers-left", "lowest-clubs"),
    "breaks": ("discard", "discard-or-lead"),
    "minimum_side_bid": (0, 4, 13),
    "jokers": ("none", "big-little", "deuces"),
    "bidding": ("free", "suicide", "mirror", "whiz"),
    "spade_lead": ("broken", "any-time"),
    "ten_for_200": ("off", "on"),
    "double_nil": ("each", "unit"),
    "redeal": ("off", "no-spade"),
    "identical": ("first", "second"),
}
CHOICES: Final = [(key, value) for key, values in VALUES.items() for value in values]
OPTIONS: Final[dict[str, type[Option]]] = {
    "game": Game,
    "failed_nil": FailedNil,
    "missed": Missed,
    "bags": Bags,
    "first_trick": FirstTrick,
    "breaks": Breaks,
    "jokers": Jokers,
    "bidding": BidRule,
    "spade_lead": SpadeLead,
    "ten_for_200": TenFor200,
    "double_nil": DoubleNil,
    "redeal": Redeal,
    "identical": Identical,
}


def presets_as_written() -> dict[str, dict[str, object]]:
    head, *rows = (line.split() for line in AS_WRITTEN.strip().splitlines())
    presets: dict[str, dict[str, object]] = {name: {} for name in head}
    for key, classic, *others in rows:
        for name, cell in zip(head, (classic, *others), strict=True):
            presets[name][key] = value(classic if cell == "." else cell)
    return presets | {name: presets["classic"] | options for name, options in CLASSIC_WITH.items()}


def value(cell: str) -> object:
    if cell == "null":
        return None
    return int(cell) if cell.strip("-").isdecimal() else cell


def refusal(preset: str | None, **options: object) -> Refused:
    with pytest.raises(Refused) as refused:
        resolve(preset, options)
    return refused.value


# Presets


@pytest.mark.parametrize(("name", "options"), presets_as_written().items())
def test_a_preset_is_as_written(name: str, options: dict[str, object]) -> None:
    assert to_builtins(PRESETS[name].rules) == options
    assert resolve(name, {}) == PRESETS[name].rules


def test_there_are_no_other_presets() -> None:
    assert set(PRESETS) == set(presets_as_written())


@pytest.mark.parametrize("name", PRESETS)
def test_a_client_offers_the_targets_as_written(name: str) -> None:
    assert PRESETS[name].targets == TARGETS.get(name, (500,))


@pytest.mark.parametrize("name", PRESETS)
def test_no_preset_contradicts_itself(name: str) -> None:
    assert contradictions(PRESETS[name].rules) == ()


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_says_in_a_sentence_what_sets_it_apart(name: str) -> None:
    assert PRESETS[name].sentence.endswith(".")


# Options


@pytest.mark.parametrize(("key", "choice"), CHOICES)
def test_an_option_takes_each_of_its_values_over_the_presets(key: str, choice: object) -> None:
    rules = resolve("classic", {key: choice})
    assert getattr(rules, key) == choice
    assert replace(rules, **{key: getattr(CLASSIC, key)}) == CLASSIC


@pytest.mark.parametrize(("key", "kind"), OPTIONS.items())
def test_an_option_has_the_values_as_written_and_a_sentence_for_each(
    key: str, kind: type[Option]
) -> None:
    assert tuple(kind) == VALUES[key]
    assert all(option.sentence.endswith(".") for option in kind)


def test_an_option_that_a_preset_sets_can_be_taken_away() -> None:
    rules = rule_set("modern", blind_nil=None, blind_nil_behind=None, exchange=0, bags="reset")
    assert rules == replace(CLASSIC, failed_nil=FailedNil.BAGS)


def test_a_rule_set_without_a_preset_names_every_option() -> None:
    assert resolve(None, presets_as_written()["campus"]) == PRESETS["campus"].rules


def test_without_a_preset_the_options_that_are_missing_are_named() -> None:
    options = presets_as_written()["classic"]
    del options["floor"], options["jokers"]
    refused = refusal(None, **options)
    assert refused.code is RefusalCode.BAD_RULES
    assert refused.message == (
        "a rule set without a preset names every option: floor, jokers missing"
    )


def test_an_unknown_preset_is_told_which_there_are() -> None:
    refused = refusal("clasic")
    assert refused.code is RefusalCode.UNKNOWN_PRESET
    assert refused.message.startswith("there is no preset 'clasic': the presets are classic, ")
    assert all(name in refused.message for name in PRESETS)


def test_an_unknown_option_is_told_which_there_are() -> None:
    refused = refusal("classic", sandbags="carry")
    assert refused.code is RefusalCode.BAD_RULES
    assert refused.message.startswith("there is no option 'sandbags': the options are game, ")
    assert all(key in refused.message for key in VALUES)


@pytest.mark.parametrize(("key", "kind"), OPTIONS.items())
@pytest.mark.parametrize("wrong", ["sometimes", "", 1, None, True])
def test_an_unknown_value_is_told_which_there_are(
    key: str, kind: type[Option], wrong: object
) -> None:
    refused = refusal("classic", **{key: wrong})
    assert refused.code is RefusalCode.BAD_RULES
    assert refused.message == f"{key} cannot be {wrong!r}: it is one of {', '.join(kind)}"


def test_a_refusal_quotes_no_more_than_it_must_of_what_was_wrong() -> None:
    long = "x" * 10_000
    for refused in (
        refusal(long),
        refusal("classic", **{long: 1}),
        refusal("classic", bags=long),
    ):
        assert len(refused.message) < 500


@pytest.mark.parametrize("wrong", [1, 3, -2, "2", None, True, 2.0])
def test_two_cards_are_exchanged_or_none(wrong: object) -> None:
    refused = refusal("modern", exchange=wrong)
    assert refused.code is RefusalCode.BAD_RULES
    assert refused.message == f"exchange cannot be {wrong!r}: it is 0 or 2"


@pytest.mark.parametrize(
    ("key", "wrong", "right"),
    [
        ("target", 0, ">= 1"),
        ("target", -500, ">= 1"),
        ("target", 1_000_001, "<= 1000000"),
        ("target", "500", "int"),
        ("target", 500.0, "int"),
        ("target", True, "int"),
        ("target", None, "int"),
        ("floor", 0, "<= -1"),
        ("floor", 200, "<= -1"),
        ("floor", -1_000_001, ">= -1000000"),
        ("floor", "none", "int | null"),
        ("max_rounds", 0, ">= 1"),
        ("max_rounds", 10_001, "<= 10000"),
        ("max_rounds", None, "int"),
        ("nil", -1, ">= 0"),
        ("nil", 10_001, "<= 10000"),
        ("nil", None, "int"),
        ("blind_nil", -1, ">= 0"),
        ("blind_nil", 10_001, "<= 10000"),
        ("blind_nil", False, "int | null"),
        ("blind_nil_behind", -1, ">= 0"),
        ("blind_nil_behind", 1_000_001, "<= 1000000"),
        ("blind_nil_behind", "anyone", "int | null"),
        ("minimum_side_bid", -1, ">= 0"),
        ("minimum_side_bid", 1_000_001, "<= 1000000"),
        ("minimum_side_bid", None, "int"),
    ],
)
def test_a_number_that_is_none_or_out_of_range_is_told_its_range(
    key: str, wrong: object, right: str
) -> None:
    refused = refusal("classic", **{key: wrong})
    assert refused.code is RefusalCode.BAD_RULES
    assert refused.message.startswith(f"{key} cannot be {wrong!r}: expected ")
    assert right in refused.message


# Contradictions


@pytest.mark.parametrize(
    ("preset", "options", "reason", "works"),
    [
        (
            "six-handed",
            {"jokers": "big-little"},
            "six-handed is played without jokers",
            "jokers none",
        ),
        ("six-handed", {"jokers": "deuces"}, "six-handed is played without jokers", "jokers none"),
        ("two-handed", {"bidding": "suicide"}, "suicide needs partners", "bidding free"),
        ("three-handed", {"bidding": "suicide"}, "suicide needs partners", "bidding free"),
        ("cutthroat", {"bidding": "suicide"}, "suicide needs partners", "bidding free"),
        ("mirror", {"minimum_side_bid": 4}, "bids that mirror fixes", "minimum_side_bid 0"),
        ("whiz", {"minimum_side_bid": 4}, "bids that whiz fixes", "minimum_side_bid 0"),
        ("two-handed", {"blind_nil": 200}, "no blind nil two-handed", "blind_nil none"),
        ("two-handed", {"exchange": 2}, "each plays alone", "exchange 0"),
        ("three-handed", {"exchange": 2}, "each plays alone", "exchange 0"),
        ("cutthroat", {"exchange": 2}, "each plays alone", "exchange 0"),
        ("mirror", {"blind_nil": 100}, "which a blind bid has not seen", "blind_nil none"),
        ("classic", {"minimum_side_bid": 14}, "cannot be met in 13 tricks", "minimum_side_bid 13"),
        (
            "six-handed",
            {"minimum_side_bid": 18},
            "cannot be met in 17 tricks",
            "minimum_side_bid 17",
        ),
    ],
)
def test_a_contradiction_is_refused_with_its_reason_and_what_would_work(
    preset: str, options: dict[str, object], reason: str, works: str
) -> None:
    refused = refusal(preset, **options)
    assert refused.code is RefusalCode.BAD_RULES
    told, _, nearest_told = refused.message.partition("; what would work: ")
    assert reason in told
    assert nearest_told == works


@pytest.mark.parametrize(
    ("preset", "options"),
    [
        ("six-handed", {"bidding": "suicide", "minimum_side_bid": 17, "exchange": 2}),
        ("two-handed", {"jokers": "deuces", "bidding": "mirror", "blind_nil_behind": 100}),
        ("three-handed", {"blind_nil": 200, "bidding": "whiz", "jokers": "big-little"}),
        ("cutthroat", {"blind_nil": 200, "minimum_side_bid": 13, "redeal": "no-spade"}),
        ("whiz", {"blind_nil": 200, "exchange": 2}),
        ("suicide", {"minimum_side_bid": 4, "blind_nil": 100, "exchange": 2}),
        ("two-handed", {"first_trick": "lowest-clubs", "jokers": "big-little"}),
    ],
)
def test_options_that_can_both_hold_are_no_contradiction(
    preset: str, options: dict[str, object]
) -> None:
    assert contradictions(rule_set(preset, **options)) == ()


def test_every_contradiction_is_told_at_once() -> None:
    refused = refusal("two-handed", blind_nil=100, exchange=2, bidding="suicide")
    assert refused.message == (
        "suicide needs partners, and here each plays alone; "
        "there is no blind nil two-handed: who draws has seen the cards; "
        "cards are exchanged between partners, and here each plays alone; "
        "what would work: blind_nil none, exchange 0, bidding free"
    )


def test_of_two_contradictions_of_one_option_the_change_ends_both() -> None:
    refused = refusal("mirror", minimum_side_bid=20)
    assert refused.message.endswith("what would work: minimum_side_bid 0")


@for_all(ANY_RULES)
def test_the_nearest_rule_set_works_and_what_worked_stays_as_it_is(rules: Rules) -> None:
    mended = nearest(rules)
    refuse_contradiction(mended)
    told = {key for found in contradictions(rules) for key in found.mend}
    assert all(getattr(mended, key) == getattr(rules, key) for key in set(SCHEMA) - told)


@for_all(ANY_RULES)
def test_a_rule_set_is_refused_where_the_second_opinion_finds_a_contradiction(
    rules: Rules,
) -> None:
    tricks = 17 if rules.game in ("three-handed", "six-handed") else 13
    refused = contradiction(to_builtins(rules)) is not None or rules.minimum_side_bid > tricks
    assert bool(contradictions(rules)) == refused
