"""What a table can say no to: one closed list for the API, the records and the command line."""

from enum import StrEnum


class RefusalCode(StrEnum):
    """Why a command was turned down; the message beside it says what would be right."""

    # The rules of the game
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    WRONG_PHASE = "WRONG_PHASE"
    CARD_NOT_HELD = "CARD_NOT_HELD"
    MUST_FOLLOW_SUIT = "MUST_FOLLOW_SUIT"
    SPADES_NOT_BROKEN = "SPADES_NOT_BROKEN"
    MUST_PLAY_LOWEST_CLUB = "MUST_PLAY_LOWEST_CLUB"
    NO_SPADE_ON_FIRST_TRICK = "NO_SPADE_ON_FIRST_TRICK"
    BID_OUT_OF_RANGE = "BID_OUT_OF_RANGE"
    BLIND_NIL_NOT_ALLOWED = "BLIND_NIL_NOT_ALLOWED"
    ALREADY_LOOKED = "ALREADY_LOOKED"
    BID_NOT_ALLOWED = "BID_NOT_ALLOWED"
    BID_BELOW_MINIMUM = "BID_BELOW_MINIMUM"
    WRONG_NUMBER_OF_CARDS = "WRONG_NUMBER_OF_CARDS"
    REDEAL_NOT_ALLOWED = "REDEAL_NOT_ALLOWED"

    # The table
    UNKNOWN_PRESET = "UNKNOWN_PRESET"
    BAD_RULES = "BAD_RULES"
    BAD_DEAL = "BAD_DEAL"
    NO_SUCH_SEAT = "NO_SUCH_SEAT"
    SEAT_TAKEN = "SEAT_TAKEN"
    SEATS_EMPTY = "SEATS_EMPTY"
    ALREADY_SEATED = "ALREADY_SEATED"
    NOT_SEATED = "NOT_SEATED"
    NOT_AWAY = "NOT_AWAY"

    # The service around it
    UNAUTHENTICATED = "UNAUTHENTICATED"
    NOT_FOUND = "NOT_FOUND"
    NOT_ALLOWED = "NOT_ALLOWED"
    BAD_COMMAND = "BAD_COMMAND"
    VERSION_CONFLICT = "VERSION_CONFLICT"
    COMMAND_ID_REUSED = "COMMAND_ID_REUSED"
    BAD_RECORD = "BAD_RECORD"


class Refused(Exception):
    """A command that the rules or the table turn down: expected, and never an alarm."""

    def __init__(self, code: RefusalCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def require(condition: object, code: RefusalCode, message: str) -> None:
    """Raises Refused unless `condition` holds."""
    if not condition:
        raise Refused(code, message)
