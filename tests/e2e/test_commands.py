"""Who may do what, and what becomes of a command that comes late, twice, or at the same time."""

import asyncio
from pathlib import Path

import pytest

from support.client import Face, Game, Outcome, User, four, started, visiting
from support.records import CAMPUS, plain
from support.service import PLATFORM_KEY, running

both_faces = pytest.mark.parametrize("face", ["graphql", "rest"])


@pytest.fixture
async def game(stranger: User) -> Game:
    """A game in which seat 0 bids first."""
    return await started(stranger.having(PLATFORM_KEY), await four(stranger), dealer=3)


async def assert_nothing_happened(game: Game, version: int) -> None:
    assert await game.players[0].version(game.id) == version


# Versions


@both_faces
async def test_a_command_meant_for_another_version_is_refused_and_names_the_tables(
    game: Game, face: Face
) -> None:
    north = game.players[0].over(face)
    version = await north.version(game.id)
    for other in (version - 1, version + 1, 0):
        refused = await north.bid(game.id, 3, expected_version=other)
        assert (refused.code, refused.version) == ("VERSION_CONFLICT", version)
        assert str(version) in refused.message
    await assert_nothing_happened(game, version)
    accepted = await north.bid(game.id, 3, expected_version=version)
    assert (accepted.code, accepted.version) == (None, version + 1)


async def test_a_version_may_stand_in_an_if_match_as_the_etag_gave_it(game: Game) -> None:
    north = game.players[0]
    tag = (await north.get(f"/v1/tables/{game.id}")).headers["etag"]
    for header, status in ((tag, 200), (tag, 409), (f"W/{tag}", 409)):
        body = {"type": "placeBid", "tricks": 3}
        response = await north.post(
            f"/v1/tables/{game.id}/commands", body, headers={"If-Match": header}
        )
        assert response.status_code == status, response.text


@both_faces
async def test_of_two_commands_for_one_version_sent_at_once_exactly_one_wins(
    stranger: User, ann: User, bob: User, face: Face
) -> None:
    ann, bob = ann.over(face), bob.over(face)
    opened = await ann.open()
    for seat in range(4):
        version = await ann.version(opened.id)
        outcomes = await asyncio.gather(
            *(user.sit(opened.id, seat, expected_version=version) for user in (ann, bob))
        )
        winners = [outcome for outcome in outcomes if outcome.accepted]
        losers = [outcome for outcome in outcomes if not outcome.accepted]
        assert [winner.version for winner in winners] == [version + 1]
        assert [(loser.code, loser.version) for loser in losers] == [
            ("VERSION_CONFLICT", version + 1)
        ]
        winner = ann if outcomes[0].accepted else bob
        assert (await winner.leave(opened.id)).accepted


async def test_twenty_commands_at_once_without_a_version_leave_no_hole_and_lose_none(
    stranger: User,
) -> None:
    opener = await stranger.guest("Opener")
    opened = await opener.open("six-handed")
    players = [await stranger.guest(f"Player {number}") for number in range(20)]
    outcomes = await asyncio.gather(
        *(player.sit(opened.id, number % 6) for number, player in enumerate(players))
    )
    accepted = [outcome for outcome in outcomes if outcome.accepted]
    assert sorted(outcome.version for outcome in accepted) == [2, 3, 4, 5, 6, 7]
    assert {outcome.code for outcome in outcomes if not outcome.accepted} == {"SEAT_TAKEN"}
    events = await opener.events(opened.id)
    assert [event["version"] for event in events] == [1, 2, 3, 4, 5, 6, 7]


# Command ids


@both_faces
async def test_a_command_sent_again_is_answered_as_the_first_time_also_after_later_moves(
    game: Game, face: Face
) -> None:
    north, east = game.players[0].over(face), game.players[1]
    first = await north.bid(game.id, 4, command_id="my bid")
    assert first.accepted
    assert await north.bid(game.id, 4, command_id="my bid") == first
    await game.steps(5)
    assert await north.bid(game.id, 4, command_id="my bid") == first

    # The card that ends a trick brings more about than itself, and all of it is told again.
    west = game.players[3]
    while await game.turn() != west or (await west.table(game.id))["round"]["trickNumber"] != 3:
        await game.step()
    card = (await west.table(game.id))["legalPlays"][0]
    last = await west.over(face).play(game.id, card, command_id="my card")
    assert last.accepted
    version = (await game.step()).version
    assert await west.over(face).play(game.id, card, command_id="my card") == last
    assert await east.version(game.id) == version


@both_faces
async def test_a_command_id_used_for_another_command_is_refused_and_the_first_stays_untold(
    game: Game, face: Face
) -> None:
    north = game.players[0].over(face)
    first = await north.bid(game.id, 4, command_id="mine")
    for again in (
        await north.bid(game.id, 5, command_id="mine"),
        await north.play(game.id, "SA", command_id="mine"),
        await north.start(game.id, command_id="mine"),
    ):
        assert again.code == "COMMAND_ID_REUSED"
        assert "4" not in again.message
        assert again.events == []
    await assert_nothing_happened(game, first.version)


async def test_a_command_id_is_each_players_own(game: Game) -> None:
    north, east = game.players[:2]
    assert (await north.bid(game.id, 4, command_id="1")).accepted
    bid = await east.bid(game.id, 3, command_id="1")
    assert [event["tricks"] for event in bid.events] == [3]


async def test_a_command_id_over_graphql_is_the_same_over_rest(game: Game) -> None:
    north = game.players[0]
    first = await north.bid(game.id, 4, command_id="mine")
    again = await north.over("rest").bid(game.id, 4, command_id="mine")
    assert again.accepted
    assert again.version == first.version
    assert (await north.over("rest").bid(game.id, 5, command_id="mine")).code == (
        "COMMAND_ID_REUSED"
    )


async def test_a_command_refused_under_an_id_can_be_sent_again_when_it_is_due(game: Game) -> None:
    north, east = game.players[:2]
    assert (await east.bid(game.id, 3, command_id="early")).code == "NOT_YOUR_TURN"
    assert (await north.bid(game.id, 3)).accepted
    assert (await east.bid(game.id, 3, command_id="early")).accepted


async def test_a_retry_that_names_the_old_version_is_still_the_first_time(game: Game) -> None:
    north = game.players[0]
    version = await north.version(game.id)
    sent = {"command_id": "once", "expected_version": version}
    first = await north.bid(game.id, 3, **sent)
    assert first.accepted
    assert await north.bid(game.id, 3, **sent) == first


async def test_one_command_sent_ten_times_at_once_is_carried_out_once(game: Game) -> None:
    north = game.players[0]
    outcomes = await asyncio.gather(*(north.bid(game.id, 3, command_id="once") for _ in range(10)))
    assert all(outcome == outcomes[0] for outcome in outcomes)
    await assert_nothing_happened(game, outcomes[0].version)


@both_faces
async def test_opening_a_table_twice_under_one_id_is_one_table(ann: User, face: Face) -> None:
    ann = ann.over(face)
    first, again = await asyncio.gather(*(ann.open(command_id="my table") for _ in range(2)))
    assert first == again
    assert (await ann.sit(first.id, 0)).accepted
    assert await ann.open(command_id="my table") == first
    assert (await ann.open("classic", command_id="my table")).code == "COMMAND_ID_REUSED"
    assert (await ann.open(command_id="another table")).id != first.id


async def test_two_users_may_open_a_table_under_the_same_id(ann: User, bob: User) -> None:
    assert (await ann.open(command_id="1")).id != (await bob.open(command_id="1")).id


# Seats


@both_faces
async def test_a_seat_is_taken_once_and_a_player_sits_once(
    ann: User, bob: User, face: Face
) -> None:
    ann, bob = ann.over(face), bob.over(face)
    table = (await ann.open()).id
    assert (await ann.sit(table, 0)).accepted
    assert (await bob.sit(table, 0)).code == "SEAT_TAKEN"
    assert (await ann.sit(table, 1)).code == "ALREADY_SEATED"
    assert (await ann.sit(table, 0)).code == "ALREADY_SEATED"
    assert await ann.version(table) == 2


async def test_a_taken_seat_is_refused_whatever_the_name(stranger: User, ann: User) -> None:
    table = (await ann.open()).id
    assert (await ann.sit(table, 0)).accepted
    namesake = await stranger.guest("Ann")
    assert (await namesake.sit(table, 0)).code == "SEAT_TAKEN"
    assert (await namesake.leave(table)).code == "NOT_SEATED"


@both_faces
async def test_a_game_does_not_start_with_empty_seats(ann: User, bob: User, face: Face) -> None:
    ann = ann.over(face)
    table = (await ann.open()).id
    assert (await ann.start(table)).code == "SEATS_EMPTY"
    await ann.sit(table, 0)
    await bob.sit(table, 2)
    refused = await ann.start(table)
    assert refused.code == "SEATS_EMPTY"
    assert "1, 3" in refused.message
    assert await ann.version(table) == 3


async def test_who_leaves_a_seat_has_no_say_any_more_and_the_seat_is_free(
    stranger: User, ann: User
) -> None:
    players = await four(stranger)
    table = (await players[0].open()).id
    for seat, player in enumerate(players):
        await player.sit(table, seat)
    west = players[3]
    assert (await west.leave(table)).accepted
    assert (await west.table(table))["seat"] is None
    assert (await west.start(table)).code == "NOT_SEATED"
    assert (await west.leave(table)).code == "NOT_SEATED"

    assert (await ann.sit(table, 3)).accepted
    begun = await ann.start(table)
    assert begun.accepted
    assert (await west.table(table))["hand"] is None
    assert (await west.bid(table, 3)).code == "NOT_SEATED"
    assert (await west.play(table, begun.table["hand"][0])).code == "NOT_SEATED"
    assert await ann.version(table) == begun.version


async def test_who_leaves_a_game_can_come_back_to_the_same_seat_and_to_no_other(
    game: Game, ann: User
) -> None:
    north, east = game.players[:2]
    assert (await north.leave(game.id)).accepted
    assert (await north.table(game.id))["hand"] is None
    assert (await east.leave(game.id)).accepted
    assert (await north.sit(game.id, 1)).code == "SEAT_TAKEN"
    assert (await ann.sit(game.id, 1)).accepted
    back = await north.sit(game.id, 0)
    assert back.accepted
    assert back.table["hand"] is not None


@both_faces
async def test_what_a_spectator_commands_is_refused_whatever_it_is(
    game: Game, ann: User, face: Face
) -> None:
    ann = ann.over(face)
    version = await ann.version(game.id)
    hand = (await game.players[0].table(game.id))["hand"]
    refused = [
        await ann.bid(game.id, 3),
        await ann.play(game.id, hand[0]),
        await ann.look(game.id),
        await ann.do("exchangeCards", game.id, cards=hand[:2]),
        await ann.do("drawCard", game.id, keep=True),
        await ann.leave(game.id),
        await ann.start(game.id),
    ]
    assert {outcome.code for outcome in refused} == {"NOT_SEATED"}
    assert (await ann.sit(game.id, 0)).code == "SEAT_TAKEN"
    await assert_nothing_happened(game, version)


@both_faces
async def test_the_platform_that_opened_a_table_may_start_the_game_and_not_play_it(
    stranger: User, platform: User, face: Face
) -> None:
    platform = platform.over(face)
    table = (await platform.open()).id
    assert (await platform.sit(table, 0)).code == "NOT_ALLOWED"
    for seat, player in enumerate(await four(stranger)):
        await player.sit(table, seat)
    begun = await platform.start(table)
    assert begun.accepted
    assert begun.table["hand"] is None
    assert (await platform.bid(table, 3)).code == "NOT_SEATED"
    assert (await platform.play(table, "SA")).code == "NOT_SEATED"
    assert await platform.version(table) == begun.version


@both_faces
async def test_nobody_plays_out_of_turn_or_for_another(game: Game, face: Face) -> None:
    version = await game.players[0].version(game.id)
    for player in game.players[1:]:
        assert (await player.over(face).bid(game.id, 3)).code == "NOT_YOUR_TURN"
    await assert_nothing_happened(game, version)

    last = await game.steps(4)
    leader, *others = game.players
    theirs = (await leader.table(game.id))["legalPlays"][0]
    for player in others:
        assert (await player.over(face).play(game.id, theirs)).code == "NOT_YOUR_TURN"
    for player in others:
        hidden = (await player.table(game.id))["hand"][0]
        assert (await leader.over(face).play(game.id, hidden)).code == "CARD_NOT_HELD"
    await assert_nothing_happened(game, last.version)


# Platforms and guests


@both_faces
async def test_a_guest_may_not_set_the_deals(ann: User, face: Face) -> None:
    deal = plain(CAMPUS)["rounds"][0]["deal"]
    hands = [deal[seat].split() for seat in "NESW"]
    assert (await ann.over(face).open(deals=[hands])).code == "NOT_ALLOWED"


async def test_a_platforms_user_is_the_same_player_each_time(platform: User, ann: User) -> None:
    first = await platform.platform_player("u-17", "Dora")
    again = await platform.platform_player("u-17", "Dora the Second")
    other = await platform.platform_player("u-18", "Dora")
    assert first.id == again.id != other.id
    table = (await first.open()).id
    assert (await first.sit(table, 0)).accepted
    assert (await again.sit(table, 1)).code == "ALREADY_SEATED"
    assert (await other.sit(table, 1)).accepted
    seats = (await ann.table(table))["seats"]
    assert [seat["player"] and seat["player"]["name"] for seat in seats] == [
        "Dora the Second",
        "Dora",
        None,
        None,
    ]


async def test_with_guests_off_only_a_platforms_users_play(tmp_path: Path) -> None:
    with running(tmp_path, SPADES_GUESTS="off") as service:
        async with visiting(service.url) as stranger:
            response = await stranger.post("/v1/guests", {"name": "Ann"})
            assert response.status_code == 403
            assert response.json()["code"] == "NOT_ALLOWED"
            user = await stranger.having(PLATFORM_KEY).platform_player("u-17", "Ann")
            opened: Outcome = await user.open()
            assert opened.accepted
            assert (await user.sit(opened.id, 0)).accepted
