"""Plain selections, compiled once: attributes of views, read without asking the executor each time.

Most of what clients select is plain: fields without arguments and directives, each an attribute of
a view or a function of it alone. The executor takes some microseconds for such a field, a plan a
fraction of one. What is not plain, and whatever goes wrong, is the executor's, so that errors and
their places are always its own.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import attrgetter
from typing import Any, ClassVar, Final, cast

from graphql import (
    FieldNode,
    FragmentSpreadNode,
    GraphQLAbstractType,
    GraphQLField,
    GraphQLLeafType,
    GraphQLObjectType,
    GraphQLOutputType,
    InlineFragmentNode,
    SelectionSetNode,
    is_abstract_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
)
from graphql.execution.collect_fields import FieldDetails, collect_fields
from graphql.pyutils import AwaitableOrValue, Path
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.types.field import StrawberryField

KEPT: Final = 8192
"""Plans that are remembered; the oldest goes first."""
SMALLEST: Final = -(2**31)
LARGEST: Final = 2**31 - 1
AS_THEY_ARE: Final[Mapping[str, type]] = {"String": str, "ID": str, "Boolean": bool}
"""Scalars whose values need no coercion where they are of this very type."""

Plan = Callable[[Any], Any]
Details = list[FieldDetails]


class RootPlan:
    """An operation with one root field whose selection is plain. Each is itself alone: what is
    remembered under one can be mistaken for no other's.
    """

    def __init__(self, name: str, node: FieldNode, field: GraphQLField, complete: Plan) -> None:
        self.name = name
        self.node = node
        self.field = field
        self.complete = complete


class NotPlain(Exception):
    """Only the executor can answer this."""


class PlannedExecutor(StrawberryGraphQLCoreExecutionContext):
    """The executor, with plans for what is plain; `planned_executor` gives one with a memory."""

    plans: ClassVar[dict[tuple[Any, ...], tuple[list[FieldNode], Plan | None]]]

    def collect_and_execute_subfields(
        self,
        return_type: GraphQLObjectType,
        field_details_list: Details,
        path: Path,
        result: Any,
        position_context: Any,
    ) -> AwaitableOrValue[dict[str, Any]]:
        """An object's selection: by its plan where there is one."""
        plan = self._plan(return_type, field_details_list)
        if plan is not None:
            try:
                answer: dict[str, Any] = plan(result)
                return answer
            except Exception:  # noqa: BLE001, S110 the executor says what is wrong, and where
                pass
        return super().collect_and_execute_subfields(
            return_type, field_details_list, path, result, position_context
        )

    def root_plan(self, root: GraphQLObjectType) -> RootPlan | None:
        """The plan for the one root field of an operation, where it is plain below."""
        if not self._plain(self.operation.selection_set):
            return None
        collected = collect_fields(
            self.schema, self.fragments, self.variable_values, root, self.operation
        )
        ((name, details),) = collected.grouped_field_set.items()
        node = details[0].node
        field = root.fields[node.name.value]
        try:
            return RootPlan(name, node, field, self._value(field.type, details))
        except NotPlain:
            return None

    def _plan(self, kind: GraphQLObjectType, details: Details) -> Plan | None:
        """The nodes are kept with their plan, so that no other node can have their identity."""
        key = (kind.name, *(id(detail.node) for detail in details))
        found = self.plans.get(key)
        if found is None:
            found = [detail.node for detail in details], self._compiled(kind, details)
            if len(self.plans) >= KEPT:
                del self.plans[next(iter(self.plans))]
            self.plans[key] = found
        return found[1]

    def _compiled(self, kind: GraphQLObjectType, details: Details) -> Plan | None:
        try:
            return self._object(kind, details)
        except NotPlain:
            return None

    def _object(self, kind: GraphQLObjectType, details: Details) -> Plan:
        for detail in details:
            self._require_plain(detail)
        fields = tuple(
            (name, *self._field(kind, of_name))
            for name, of_name in self.collect_subfields(kind, details).grouped_field_set.items()
        )
        return lambda source: {name: complete(get(source)) for name, get, complete in fields}

    def _require_plain(self, detail: FieldDetails) -> None:
        if detail.fragment_variable_values or detail.defer_usage:
            raise NotPlain
        if detail.node.selection_set and not self._plain(detail.node.selection_set):
            raise NotPlain

    def _plain(self, selections: SelectionSetNode) -> bool:
        """Fields below are looked at in their turn."""
        for selection in selections.selections:
            if selection.directives:
                return False
            match selection:
                case InlineFragmentNode():
                    if not self._plain(selection.selection_set):
                        return False
                case FragmentSpreadNode():
                    fragment = self.fragments[selection.name.value]
                    if fragment.variable_signatures or not self._plain(
                        fragment.definition.selection_set
                    ):
                        return False
        return True

    def _field(self, parent: GraphQLObjectType, details: Details) -> tuple[Plan, Plan]:
        """How to get a field's value, and how to complete it."""
        node = details[0].node
        if node.name.value == "__typename":
            return lambda _: parent.name, lambda value: value
        field = parent.fields.get(node.name.value)
        if field is None or field.args:
            raise NotPlain
        return _getter(field), self._value(field.type, details)

    def _value(self, kind: GraphQLOutputType, details: Details) -> Plan:
        if is_non_null_type(kind):
            return self._present(kind.of_type, details)
        complete = self._present(kind, details)
        return lambda value: None if value is None else complete(value)

    def _present(self, kind: GraphQLOutputType, details: Details) -> Plan:
        """A value that is there: a null in its place is an error, which the executor reports."""
        if is_list_type(kind):
            item = self._value(kind.of_type, details)
            return lambda values: [item(value) for value in values]
        if is_leaf_type(kind):
            return _leaf(kind)
        if is_abstract_type(kind):
            return self._abstract(kind, details)
        if not isinstance(kind, GraphQLObjectType) or kind.is_type_of is not None:
            raise NotPlain
        return self._object(kind, details)

    def _abstract(self, kind: GraphQLAbstractType, details: Details) -> Plan:
        plans = dict(self._possible(kind, details))
        return lambda value: plans[type(value)](value)

    def _possible(self, kind: GraphQLAbstractType, details: Details) -> Iterator[tuple[type, Plan]]:
        """Each Python type behind an interface or a union, with its plan."""
        for possible in self.schema.get_possible_types(kind):
            definition = possible.extensions.get("strawberry-definition")
            if definition is None:
                raise NotPlain
            yield definition.origin, self._object(possible, details)


def _getter(field: GraphQLField) -> Plan:
    """An attribute, or a function of the object alone."""
    definition = field.extensions.get("strawberry-definition")
    if not isinstance(definition, StrawberryField):
        raise NotPlain
    if definition.is_basic_field:
        return attrgetter(definition.python_name)
    resolver = definition.base_resolver
    if (
        resolver is None
        or definition.extensions
        or definition.is_async
        or list(resolver.signature.parameters) != ["root"]
    ):
        raise NotPlain
    return cast(Plan, resolver.wrapped_func)


def _leaf(kind: GraphQLLeafType) -> Plan:
    """Most values of the usual scalars are what they are written as already."""
    coerce = kind.coerce_output_value
    if kind.name == "Int":
        return lambda value: value if _is_short(value) else _coerced(coerce, value)
    plain = AS_THEY_ARE.get(kind.name)
    if plain is None:
        return partial(_coerced, coerce)
    return lambda value: value if type(value) is plain else _coerced(coerce, value)


def _is_short(value: Any) -> bool:
    return type(value) is int and SMALLEST <= value <= LARGEST


def _coerced(coerce: Plan, value: Any) -> Any:
    coerced = coerce(value)
    if coerced is None:
        raise NotPlain
    return coerced


def planned_executor() -> type[PlannedExecutor]:
    """An executor for one schema."""

    class Bound(PlannedExecutor):
        """With a memory of its own."""

        plans: ClassVar[dict[tuple[Any, ...], tuple[list[FieldNode], Plan | None]]] = {}

    return Bound
