"""What a document may ask for at most, counted before it is checked against the schema.

Validation compares fields with each other, so that a few kilobytes can keep it busy for seconds.
The counts here go through fragments, and take a time that grows with the document alone: each
fragment is counted once, however often it is spread.
"""

from collections import Counter
from typing import Final

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
)
from msgspec import Struct

MOST_TOKENS: Final = 2000


class Counts(Struct, frozen=True):
    """What a selection comes to, its fragments unfolded."""

    depth: int = 0
    fields: int = 0
    aliases: int = 0
    directives: int = 0

    def beside(self, other: "Counts") -> "Counts":
        """Both in one selection."""
        return self._with(max(self.depth, other.depth), other)

    def above(self, other: "Counts") -> "Counts":
        """A field, and what is selected below it."""
        return self._with(self.depth + other.depth, other)

    def _with(self, depth: int, other: "Counts") -> "Counts":
        return Counts(
            depth,
            self.fields + other.fields,
            self.aliases + other.aliases,
            self.directives + other.directives,
        )


NOTHING: Final = Counts()


class Limit(Struct, frozen=True):
    """The most of something, and what it is called."""

    most: int
    what: str


DEPTH: Final = Limit(16, "levels deep")
"""The usual introspection query is 15 levels deep, the deepest selection of a table 5."""
FIELDS: Final = Limit(500, "fields, with its fragments unfolded")
ALIASES: Final = Limit(30, "aliases, with its fragments unfolded")
DIRECTIVES: Final = Limit(50, "directives, with its fragments unfolded")
ROOT_FIELDS: Final = Limit(10, "fields at its root")
REPEATS: Final = Limit(40, "selections of a field or a fragment again beside itself")
"""Validation compares each with each of the same name."""
NESTED: Final = Limit(48, "selections in each other, with its fragments unfolded")
DEFINITIONS: Final = Limit(30, "operations and fragments")
VARIABLES: Final = Limit(50, "variables")


class TooMuch(Exception):
    """A limit is exceeded."""

    def __init__(self, limit: Limit) -> None:
        super().__init__(f"a document has at most {limit.most} {limit.what}")


def excess(document: DocumentNode) -> GraphQLError | None:
    """What a document has too much of, if anything."""
    try:
        _Measure(document).check()
    except TooMuch as too_much:
        return GraphQLError(str(too_much), extensions={"code": "TOO_MUCH"})
    return None


class _Measure:
    """Counts one document."""

    def __init__(self, document: DocumentNode) -> None:
        self._document = document
        self._fragments = {
            definition.name.value: definition
            for definition in document.definitions
            if isinstance(definition, FragmentDefinitionNode)
        }
        self._counted: dict[str, Counts] = {}
        self._open: set[str] = set()
        self._nested = 0
        self._repeats = 0

    def check(self) -> None:
        """Raises TooMuch. A fragment that spreads itself is left to validation, which says so."""
        _require(len(self._document.definitions), DEFINITIONS)
        for name in self._fragments:
            self._fragment(name)
        for definition in self._document.definitions:
            if isinstance(definition, OperationDefinitionNode):
                self._operation(definition)

    def _operation(self, operation: OperationDefinitionNode) -> None:
        _require(len(operation.variable_definitions or ()), VARIABLES)
        _require(self._root_fields(operation.selection_set, set()), ROOT_FIELDS)
        _require(self._selections(operation.selection_set).depth, DEPTH)

    def _root_fields(self, selections: SelectionSetNode, seen: set[str]) -> int:
        """The fields of a selection, each fragment's once."""
        count = 0
        for selection in selections.selections:
            match selection:
                case FieldNode():
                    count += 1
                case InlineFragmentNode():
                    count += self._root_fields(selection.selection_set, seen)
                case FragmentSpreadNode() if selection.name.value not in seen:
                    seen.add(selection.name.value)
                    fragment = self._fragments.get(selection.name.value)
                    if fragment is not None:
                        count += self._root_fields(fragment.selection_set, seen)
        return count

    def _selections(self, selections: SelectionSetNode | None) -> Counts:
        """Counts are checked as they grow, so that none grows without end."""
        if selections is None:
            return NOTHING
        self._note_repeats(selections)
        self._nested += 1
        _require(self._nested, NESTED)
        counts = NOTHING
        for selection in selections.selections:
            counts = counts.beside(self._selection(selection))
            _require(counts.depth, DEPTH)
            _require(counts.fields, FIELDS)
            _require(counts.aliases, ALIASES)
            _require(counts.directives, DIRECTIVES)
        self._nested -= 1
        return counts

    def _note_repeats(self, selections: SelectionSetNode) -> None:
        names = Counter(map(_name, selections.selections))
        self._repeats += names.total() - len(names)
        _require(self._repeats, REPEATS)

    def _selection(self, selection: SelectionNode) -> Counts:
        directives = len(selection.directives or ())
        match selection:
            case FieldNode():
                own = Counts(1, 1, 0 if selection.alias is None else 1, directives)
                return own.above(self._selections(selection.selection_set))
            case InlineFragmentNode():
                own = Counts(directives=directives)
                return own.beside(self._selections(selection.selection_set))
            case FragmentSpreadNode():
                own = Counts(directives=directives)
                return own.beside(self._fragment(selection.name.value))
        return NOTHING

    def _fragment(self, name: str) -> Counts:
        if name in self._counted:
            return self._counted[name]
        if name in self._open or name not in self._fragments:
            return NOTHING
        self._open.add(name)
        counts = self._selections(self._fragments[name].selection_set)
        self._open.discard(name)
        self._counted[name] = counts
        return counts


def _name(selection: SelectionNode) -> str:
    """What a selection is merged by: a field's key in the answer, a fragment's name or type."""
    match selection:
        case FieldNode():
            return (selection.alias or selection.name).value
        case FragmentSpreadNode():
            return f"...{selection.name.value}"
        case InlineFragmentNode() if selection.type_condition is not None:
            return f"... on {selection.type_condition.name.value}"
        case _:
            return "..."


def _require(count: int, limit: Limit) -> None:
    if count > limit.most:
        raise TooMuch(limit)
