"""Rule sheets are made from the options, and say all of them."""

import pytest
from hypothesis import given

from spades.rule_sheet import NUMBERS, OPTIONS, SILENT, as_markdown, as_text, rule_sheet
from spades.rules import PRESETS, SCHEMA, Bags, Option, Rules, resolve
from support.rule_sets import RULE_SETS


def sentences(rules: Rules) -> list[str]:
    return [sentence for section in rule_sheet(rules) for sentence in section.sentences]


def test_every_option_has_its_place_on_the_sheet() -> None:
    placed = [option for options in OPTIONS.values() for option in options]
    assert sorted(placed) == sorted(SCHEMA)


def test_every_value_of_every_option_has_a_sentence() -> None:
    for option, kind in SCHEMA.items():
        if option in NUMBERS:
            continue
        assert issubclass(kind, Option)
        assert all(value.sentence.endswith(".") for value in kind)


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("target", 250, "a side at 250 points or more wins"),
        ("floor", -200, "A side at -200 or below ends the game"),
        ("floor", None, "No score is too low to go on."),
        ("max_rounds", 7, "After 7 rounds the highest score wins; equal tops are a draw."),
        ("nil", 50, "it scores 50 if its player takes no trick, and else loses 50"),
        ("blind_nil", 200, "scores or loses 200"),
        ("minimum_side_bid", 4, "A side's contract is 4 or more"),
        ("failed_nil", "bags", "each is a bag."),
        ("missed", "zero", "A missed contract costs nothing"),
        ("bags", "off", "Bags are counted and cost nothing."),
        ("bags", "carry", "Every 10 bags cost 100"),
        ("first_trick", "lowest-clubs", "everyone plays the lowest club"),
        ("breaks", "discard-or-lead", "or led from a hand of only spades"),
        ("jokers", "deuces", "the 2 of diamonds and the 2 of spades are, in this order"),
        ("bidding", "suicide", "exactly one bids nil"),
        ("spade_lead", "any-time", "A spade may be led at any time."),
        ("ten_for_200", "on", "A contract of exactly 10 scores 200"),
        ("double_nil", "unit", "score 200 if neither takes a trick"),
        ("redeal", "no-spade", "may ask for a new deal"),
    ],
)
def test_a_changed_option_is_told(option: str, value: object, sentence: str) -> None:
    told = " ".join(sentences(resolve("classic", {option: value})))
    assert sentence in told


def test_who_may_bid_blind_and_what_follows_is_told_where_there_is_blind_nil() -> None:
    modern = " ".join(sentences(PRESETS["modern"].rules))
    assert "100 points or more behind the best other side" in modern
    assert "each choose 2 cards" in modern
    anyone = " ".join(sentences(PRESETS["lowest-club"].rules))
    assert "Anyone may bid blind nil." in anyone


def test_what_makes_no_difference_is_left_out() -> None:
    classic = " ".join(sentences(PRESETS["classic"].rules))
    assert "equal cards" not in classic
    assert "equal cards" in " ".join(sentences(PRESETS["six-handed"].rules))
    alone = resolve("cutthroat", {"double_nil": "unit"})
    assert "neither takes a trick" not in " ".join(sentences(alone))


def test_only_the_plain_values_are_silent() -> None:
    assert Bags.OFF not in [value for option, value in SILENT.items() if option == "bags"]
    for option, value in SILENT.items():
        assert getattr(PRESETS["classic"].rules, option) is value


@given(RULE_SETS)
def test_two_rule_sets_that_play_differently_read_differently(rules: Rules) -> None:
    if rules != PRESETS["classic"].rules and rules.exchange == 0 and rules.blind_nil is None:
        visible = [
            option
            for option in SCHEMA
            if getattr(rules, option) != getattr(PRESETS["classic"].rules, option)
            and option not in {"identical", "double_nil", "blind_nil_behind", "exchange"}
        ]
        if visible:
            assert sentences(rules) != sentences(PRESETS["classic"].rules)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_sheet_is_text_that_fits_a_terminal_and_a_page_of_markdown(preset: str) -> None:
    sheet = rule_sheet(PRESETS[preset].rules)
    text = as_text(preset, sheet)
    assert all(len(line) <= 88 for line in text.splitlines())
    page = as_markdown(preset, sheet)
    assert page.startswith(f"# {preset}\n")
    for section in sheet:
        assert f"## {section.title}\n" in page
        assert all(f"- {sentence}\n" in page for sentence in section.sentences)
