"""Commands at a table: authority, retries, conflicts, and what they cost."""

import asyncio

import pytest

from spades.events import BidPlaced, GameStarted, RoundDealt, SeatTaken, TableOpened
from spades.refusals import RefusalCode
from spades.rules import PRESETS
from spades.state import Bidding, Playing
from spades.table import replay
from spades_service.callers import STRANGER, Caller
from spades_service.ports import Append, Appended, BrokenHistory, Recorded
from spades_service.requests import (
    LeaveSeat,
    OpenTable,
    PlaceBid,
    PlayCard,
    StartGame,
    TableRequest,
    TakeSeat,
)
from spades_service.tables import REMEMBERED, Accepted, Loaded, Rejected, Tables, fold
from support.house import PLAYERS, CountedStore, CountingEntropy, House, TickingClock

CLASSIC = OpenTable({"preset": "classic"}, dealer=3)
CLASSIC_RULES = PRESETS["classic"].rules


async def accepted(tables: Tables, caller: Caller, table: str, request: TableRequest) -> Accepted:
    answer = await tables.execute(caller, table, request)
    assert isinstance(answer, Accepted), answer
    return answer


async def refusal(
    tables: Tables,
    caller: Caller,
    table: str,
    request: TableRequest,
    *,
    command_id: str | None = None,
    expected_version: int | None = None,
) -> Rejected:
    answer = await tables.execute(
        caller, table, request, command_id=command_id, expected_version=expected_version
    )
    assert isinstance(answer, Rejected), answer
    return answer


# What it costs


async def test_a_command_on_a_table_at_hand_is_one_append_and_no_read(house: House) -> None:
    table = await house.opened()
    house.store.reads = house.store.appends = 0
    await accepted(house.tables, PLAYERS[0], table, PlaceBid(3))
    assert (house.store.reads, house.store.appends) == (0, 1)


async def test_a_refusal_is_checked_against_the_store_once_and_writes_nothing(
    house: House,
) -> None:
    table = await house.opened()
    house.store.reads = house.store.appends = 0
    await refusal(house.tables, PLAYERS[1], table, PlaceBid(3))
    assert (house.store.reads, house.store.appends) == (1, 0)


async def test_what_cannot_be_an_id_is_not_found_without_asking_the_store(house: House) -> None:
    for id_ in ("", "../x", "A" * 16, "a" * 10_000, "{p17}", "tablе"):
        answer = await refusal(house.tables, PLAYERS[0], id_, StartGame())
        assert answer == Rejected(RefusalCode.NOT_FOUND, "there is no such table")
    assert house.store.reads == 0


# Authority


async def test_a_stranger_is_told_to_sign_in(house: House) -> None:
    table = await house.opened(started=False)
    answer = await refusal(house.tables, STRANGER, table, StartGame())
    assert answer.code is RefusalCode.UNAUTHENTICATED


async def test_who_has_no_seat_cannot_bid(house: House) -> None:
    table = await house.opened()
    answer = await refusal(house.tables, Caller(player="somebody"), table, PlaceBid(3))
    assert answer.code is RefusalCode.NOT_SEATED


async def test_a_bid_is_always_for_the_seat_of_its_sender(house: House) -> None:
    table = await house.opened()
    answer = await accepted(house.tables, PLAYERS[0], table, PlaceBid(3))
    assert answer.updates[0].recorded.event == BidPlaced(0, 3)


async def test_leaving_a_seat_ends_its_authority(house: House) -> None:
    table = await house.opened(started=False)
    await accepted(house.tables, PLAYERS[2], table, LeaveSeat())
    answer = await refusal(house.tables, PLAYERS[2], table, StartGame())
    assert answer.code is RefusalCode.NOT_SEATED
    await accepted(house.tables, Caller(player="newcomer"), table, TakeSeat(2))


async def test_who_opened_a_table_may_start_it_without_sitting(house: House) -> None:
    platform = Caller(platform="arcade")
    opened = await house.tables.open(platform, CLASSIC)
    assert isinstance(opened, Accepted)
    for seat, player in enumerate(PLAYERS):
        await accepted(house.tables, player, opened.id, TakeSeat(seat))
    started = await accepted(house.tables, platform, opened.id, StartGame())
    assert isinstance(started.updates[0].recorded.event, GameStarted)


async def test_a_platform_cannot_sit_down(house: House) -> None:
    table = await house.opened(seated=0, started=False)
    answer = await refusal(house.tables, Caller(platform="arcade"), table, TakeSeat(0))
    assert answer.code is RefusalCode.NOT_ALLOWED


async def test_a_guest_cannot_set_the_deals(house: House) -> None:
    answer = await house.tables.open(PLAYERS[0], OpenTable({"preset": "classic"}, deals=()))
    assert isinstance(answer, Rejected)
    assert answer.code is RefusalCode.NOT_ALLOWED


# Retries


async def test_the_same_command_id_is_one_event_and_the_same_answer(house: House) -> None:
    table = await house.opened()
    first = await house.tables.execute(PLAYERS[0], table, PlaceBid(3), command_id="a")
    await accepted(house.tables, PLAYERS[1], table, PlaceBid(4))
    again = await house.tables.execute(PLAYERS[0], table, PlaceBid(3), command_id="a")
    assert again == first
    assert (await house.tables.load(table)).version == 9


async def test_a_retry_reaches_another_replica_and_is_answered_as_the_first_time(
    house: House,
) -> None:
    table = await house.opened()
    first = await house.tables.execute(PLAYERS[0], table, PlaceBid(3), command_id="a")
    assert await house.replica().execute(PLAYERS[0], table, PlaceBid(3), command_id="a") == first


async def test_a_retry_of_a_command_with_consequences_answers_with_all_of_them(
    house: House,
) -> None:
    table = await house.opened(started=False)
    first = await house.tables.execute(PLAYERS[0], table, StartGame(), command_id="go")
    again = await house.replica().execute(PLAYERS[0], table, StartGame(), command_id="go")
    assert again == first
    assert isinstance(again, Accepted)
    assert [type(update.recorded.event) for update in again.updates] == [GameStarted, RoundDealt]


async def test_a_command_id_with_other_content_is_refused_without_telling_the_first(
    house: House,
) -> None:
    table = await house.opened()
    await house.tables.execute(PLAYERS[0], table, PlaceBid(3), command_id="a")
    answer = await refusal(house.tables, PLAYERS[0], table, PlaceBid(11), command_id="a")
    assert answer.code is RefusalCode.COMMAND_ID_REUSED
    assert "3" not in answer.message


async def test_two_players_may_use_the_same_command_id(house: House) -> None:
    table = await house.opened()
    for player in PLAYERS:
        answer = await house.tables.execute(player, table, PlaceBid(3), command_id="1")
        assert isinstance(answer, Accepted)


async def test_opening_again_with_the_same_command_id_is_the_same_table(house: House) -> None:
    first = await house.tables.open(PLAYERS[0], CLASSIC, "mine")
    assert await house.replica().open(PLAYERS[0], CLASSIC, "mine") == first
    other = await house.tables.open(PLAYERS[1], CLASSIC, "mine")
    assert isinstance(first, Accepted)
    assert isinstance(other, Accepted)
    assert other.id != first.id


async def test_only_the_latest_commands_are_remembered(house: House) -> None:
    table = await house.opened(seated=0, started=False)
    for number in range(REMEMBERED):
        request = TakeSeat(0) if number % 2 == 0 else LeaveSeat()
        await house.tables.execute(PLAYERS[0], table, request, command_id=f"{number}")
    assert len((await house.tables.load(table)).done) == REMEMBERED
    assert len((await house.replica().load(table)).done) == REMEMBERED


# Conflicts


async def test_a_command_for_an_older_version_is_a_conflict(house: House) -> None:
    table = await house.opened()
    await accepted(house.tables, PLAYERS[0], table, PlaceBid(3))
    answer = await refusal(house.tables, PLAYERS[1], table, PlaceBid(3), expected_version=7)
    assert answer.code is RefusalCode.VERSION_CONFLICT
    assert answer.version == 8


async def test_a_command_for_the_version_at_hand_is_carried_out(house: House) -> None:
    table = await house.opened()
    answer = await house.tables.execute(PLAYERS[0], table, PlaceBid(3), expected_version=7)
    assert isinstance(answer, Accepted)


async def test_a_replica_that_is_behind_decides_anew(house: House) -> None:
    table = await house.opened()
    other = house.replica()
    await other.load(table)
    await accepted(house.tables, PLAYERS[0], table, PlaceBid(3))
    await accepted(other, PLAYERS[1], table, PlaceBid(4))
    await accepted(house.tables, PLAYERS[2], table, PlaceBid(2))


async def test_a_replica_that_is_behind_names_the_version_of_a_conflict(house: House) -> None:
    table = await house.opened(seated=0, started=False)
    other = house.replica()
    await other.load(table)
    await accepted(house.tables, PLAYERS[0], table, TakeSeat(0))
    answer = await refusal(other, PLAYERS[1], table, TakeSeat(1), expected_version=1)
    assert (answer.code, answer.version) == (RefusalCode.VERSION_CONFLICT, 2)


async def test_of_two_who_take_one_seat_at_once_one_gets_it(house: House) -> None:
    table = await house.opened(seated=0, started=False)
    replicas = (house.tables, house.replica())
    answers = await asyncio.gather(
        *(
            replica.execute(player, table, TakeSeat(0))
            for replica, player in zip(replicas, PLAYERS[:2], strict=True)
        )
    )
    assert sorted(type(answer).__name__ for answer in answers) == ["Accepted", "Rejected"]
    taken = [r.event for r in await house.store.read(table) if isinstance(r.event, SeatTaken)]
    assert len(taken) == 1


async def test_fifty_writers_make_one_line_and_successes_equal_events(house: House) -> None:
    table = await house.opened(seated=0, started=False)
    replicas = [house.replica() for _ in range(5)]
    players = [Caller(player=f"p{number}") for number in range(50)]
    answers = await asyncio.gather(
        *(
            replicas[number % 5].execute(player, table, TakeSeat(number % 4))
            for number, player in enumerate(players)
        )
    )
    history = await house.store.read(table)
    assert [recorded.version for recorded in history] == list(range(1, len(history) + 1))
    assert sum(isinstance(answer, Accepted) for answer in answers) == len(history) - 1 == 4


async def test_a_client_that_hangs_up_does_not_tear_its_command(house: House) -> None:
    table = await house.opened()
    hung_up = asyncio.create_task(
        house.tables.execute(PLAYERS[0], table, PlaceBid(3), command_id="a")
    )
    await asyncio.sleep(0)
    hung_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hung_up
    answer = await house.tables.execute(PLAYERS[0], table, PlaceBid(3), command_id="a")
    assert isinstance(answer, Accepted)
    assert answer.version == (await house.tables.load(table)).version == 8


# What was


async def test_a_table_can_be_seen_as_it_was_at_any_version(house: House) -> None:
    table = await house.opened()
    await accepted(house.tables, PLAYERS[0], table, PlaceBid(3))
    history = [recorded.event for recorded in await house.store.read(table)]
    for version in range(1, len(history) + 1):
        then = await house.tables.at(table, version)
        assert (then.version, then.table) == (version, replay(history[:version]))


async def test_a_version_that_never_was_is_no_table(house: House) -> None:
    table = await house.opened()
    for version in (-1, 0, 8):
        assert not (await house.tables.at(table, version)).exists


async def test_every_round_is_dealt_from_fresh_entropy(house: House) -> None:
    seeds = set()
    for _ in range(20):
        table = await house.opened()
        seeds |= {
            recorded.event.seed
            for recorded in await house.store.read(table)
            if isinstance(recorded.event, RoundDealt)
        }
    assert len(seeds) == 20


async def test_time_never_runs_backwards_in_a_stream(house: House) -> None:
    table = await house.opened()
    late = (await house.tables.load(table)).at

    class Behind(TickingClock):
        def now(self) -> int:
            return late - 60_000

    slow = Tables(house.store, Behind(), CountingEntropy())
    answer = await accepted(slow, PLAYERS[0], table, PlaceBid(3))
    assert answer.updates[-1].recorded.at == late


async def test_a_history_that_is_none_is_never_built_upon(house: House) -> None:
    table = await house.opened(seated=0, started=False)
    await house.store.append(Append(table, 1, 5, b"k" * 24, (BidPlaced(0, 3),)))
    with pytest.raises(BrokenHistory, match="version 2 cannot follow"):
        await house.tables.load(table)


async def test_a_play_from_the_wrong_hand_breaks_a_history_and_tells_no_card(house: House) -> None:
    table = await house.opened()
    for player in PLAYERS:
        await accepted(house.tables, player, table, PlaceBid(3))
    loaded = await house.tables.load(table)
    assert isinstance(loaded.table, Playing)
    leader = loaded.table.leader
    card = loaded.table.hands[(leader + 1) % 4][0]
    answer = await refusal(house.tables, PLAYERS[leader], table, PlayCard(card))
    assert answer.code is RefusalCode.CARD_NOT_HELD


# The fold


def test_the_fold_knows_the_commands_again() -> None:
    history = (
        Recorded(1, 5, b"i" * 16 + b"c" * 8, TableOpened(CLASSIC_RULES, "me")),
        Recorded(2, 6, b"j" * 16 + b"d" * 8, SeatTaken(0, "a")),
        Recorded(3, 6, b"", SeatTaken(1, "b")),
    )
    loaded, updates = fold(Loaded("t"), history)
    assert (loaded.done[b"j" * 16].first, loaded.done[b"j" * 16].last) == (2, 3)
    assert [update.version for update in updates] == [1, 2, 3]


def test_a_fold_in_two_parts_is_the_fold_of_the_whole() -> None:
    history = (
        Recorded(1, 5, b"i" * 16 + b"c" * 8, TableOpened(CLASSIC_RULES, "me")),
        Recorded(2, 6, b"j" * 16 + b"d" * 8, SeatTaken(0, "a")),
        Recorded(3, 6, b"", SeatTaken(1, "b")),
    )
    whole, _ = fold(Loaded("t"), history)
    for cut in range(4):
        part, _ = fold(Loaded("t"), history[:cut])
        assert fold(part, history[cut:])[0] == whole


async def test_an_unknown_outcome_is_answered_truly_when_asked_again(house: House) -> None:
    class LosesAnswers(CountedStore):
        async def append(self, append: Append) -> Appended:
            await super().append(append)
            raise ConnectionError

    table = await house.opened()
    deaf = Tables(LosesAnswers(house.store.store), TickingClock(), CountingEntropy())
    with pytest.raises(ConnectionError):
        await deaf.execute(PLAYERS[0], table, PlaceBid(3), command_id="a")
    answer = await house.tables.execute(PLAYERS[0], table, PlaceBid(3), command_id="a")
    assert isinstance(answer, Accepted)
    assert answer.version == 8
    loaded = await house.tables.load(table)
    assert isinstance(loaded.table, Bidding)
    assert loaded.version == 8
