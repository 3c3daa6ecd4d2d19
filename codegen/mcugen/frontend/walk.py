"""Imports the nodes one after the other; what cannot be imported is collected, not raised."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import onnx
import onnx.defs

from mcugen.errors import InternalError, McugenError, Unsupported
from mcugen.frontend.builder import GraphBuilder
from mcugen.frontend.context import NodeContext
from mcugen.frontend.definitions import definition_of, has_definition
from mcugen.frontend.external import ExternalFiles
from mcugen.frontend.foreign_types import ForeignConstants
from mcugen.frontend.functions import Expander, identity_node
from mcugen.frontend.import_only import IMPORT_ONLY
from mcugen.frontend.malformed import Malformed, plain, shown, text
from mcugen.frontend.ordering import live_in_order, reads
from mcugen.frontend.schema import check_node, check_without_schema, schema_of
from mcugen.frontend.structure import RawNode
from mcugen.frontend.unsupported import recovered_types
from mcugen.frontend.values import ForeignTypeError, decode
from mcugen.ir import DType
from mcugen.ops.spec import FromOnnx, InvalidNode, Reject, TensorType

_DOMAINS = ("", "com.microsoft")

_HINT = "'mcugen ops' lists what is supported; --outputs NAME cuts the graph before a node"

_HINTS = {
    "Loop": "unroll the loop when exporting the model",
    "Scan": "unroll the loop when exporting the model",
}


class Walk:
    """Imports nodes into a builder.

    Args:
        builder: gets the tensors and nodes.
        importers: ONNX operator -> from_onnx.
        expander: for branches of If and for ONNX's own definitions of operators.
        files: where external data lies.
        declared: value -> type written in the file, used after a node without importer.
    """

    def __init__(
        self,
        builder: GraphBuilder,
        importers: Mapping[str, FromOnnx],
        expander: Expander,
        files: ExternalFiles,
        declared: Mapping[str, onnx.TypeProto],
    ) -> None:
        self._builder = builder
        self._importers = importers
        self._expander = expander
        self._files = files
        self._declared = declared
        self._used: set[str] = set()
        self._foreign = ForeignConstants(builder)

    def add_constant(self, name: str, tensor: onnx.TensorProto) -> None:
        """Add an initializer; one of a type that the IR lacks blocks the nodes that read it.

        Raises:
            Malformed: its bytes disagree with its header.
        """
        try:
            data = decode(tensor, self._files)
        except ForeignTypeError:
            self._foreign.add(name, tensor)
        else:
            self._builder.add_onnx(name, TensorType(data.shape, DType.of(data)), data)

    def run(self, nodes: Sequence[RawNode], wanted: Iterable[str]) -> list[Unsupported]:
        """Import `nodes`, which are in execution order; returns those that cannot be.

        Args:
            nodes: the nodes.
            wanted: values that are read from outside.
        """
        self._used.update(wanted)
        for raw in nodes:
            self._used.update(reads(raw))
        found: list[Unsupported] = []
        for raw in nodes:
            found += self._step(raw)
        return found

    def _step(self, raw: RawNode) -> list[Unsupported]:
        mark = self._builder.mark()
        try:
            node = self._foreign.widened(raw)
            blocked = [self._builder.blocked[n] for n in reads(node) if n in self._builder.blocked]
            if any(blocked):
                raise Reject(f"{next(filter(None, blocked))}, which is not supported")
            found = self._unseen(node) if blocked else self._import(node)
        except Reject as verdict:
            self._builder.rollback(mark)
            hint = verdict.hint or _HINTS.get(raw.op_type, _HINT)
            found = [Unsupported(plain(raw.label), plain(raw.key), verdict.reason, hint)]
        self._recover(raw)
        return found

    def _import(self, raw: RawNode) -> list[Unsupported]:
        """Import one node whose inputs are all there; returns unsupported nodes of a branch."""
        if raw.key == "If":
            return self._branch(raw)
        if raw.key == "Constant" and self._foreign_constant(raw):
            return []
        schema = schema_of(raw.op_type, raw.opset, raw.domain)
        if schema is None and raw.key in self._importers:
            # ONNX Runtime takes some operators in the default domain before ONNX had them.
            schema = schema_of(raw.op_type, onnx.defs.onnx_opset_version(), raw.domain)
        if schema is not None:
            tensors = [self._builder.tensors[i] if i else None for i in raw.inputs]
            check_node(raw, schema, tensors)
        importer = self._importers.get(raw.key) or IMPORT_ONLY.get(raw.key)
        if importer is None:
            self._by_definition(raw)
            return []
        if schema is None:
            check_without_schema(raw)
        optional = [schema is None or schema.output_optional(i) for i in range(len(raw.outputs))]
        outputs = tuple(
            o if o in self._used or not may_drop else ""
            for o, may_drop in zip(raw.outputs, optional, strict=True)
        )
        context = NodeContext(raw, self._builder, self._files, outputs)
        self._guarded(importer, context)
        missing = [o for o in outputs if o and o not in self._builder.tensors]
        if missing:
            raise Reject(f"output {shown(missing[0])} is not supported")
        return []

    def _guarded(self, importer: Callable[[NodeContext], None], context: NodeContext) -> None:
        """Run code of an operator's file; its own faults become an InternalError."""
        try:
            importer(context)
        except (Reject, Malformed, McugenError):
            raise
        except Exception as error:
            raise InternalError(
                f"importing {context.op_type} {shown(context.name)} failed: "
                f"{type(error).__name__}: {error}"
            ) from error

    def _unseen(self, raw: RawNode) -> list[Unsupported]:
        """The verdict on a node whose input types are unknown: by its operator alone."""
        importable = raw.key in (*self._importers, *IMPORT_ONLY, "If")
        if not importable and not has_definition(raw):
            raise Reject(_unknown_operator(raw))
        return []

    def _by_definition(self, raw: RawNode) -> None:
        """Import the nodes that ONNX's definition of the operator consists of."""
        function = definition_of(raw, self._builder.tensors)
        if function is None:
            raise Reject(_unknown_operator(raw))
        imported = {e.domain: e.version for e in function.opset_import}
        wanted = [o for o in raw.outputs if o in self._used]
        try:
            body = self._expander.inline(function, raw, {**raw.scope.opsets, **imported})
            nodes = live_in_order(body, self._builder.tensors, wanted)
        except Malformed as error:
            raise Reject(f"not supported itself; its definition by ONNX: {error.reason}") from None
        found = self.run(nodes, wanted)
        if found:
            raise Reject(
                "not supported itself; in its definition by ONNX, "
                f"{found[0].op}: {found[0].reason}",
                found[0].hint,
            )

    def _branch(self, raw: RawNode) -> list[Unsupported]:
        """Import the branch that a constant condition of If takes."""
        context = NodeContext(raw, self._builder, self._files, raw.outputs)
        condition = context.const(0, "the condition")
        name = "then_branch" if condition.size and condition.reshape(-1)[0] else "else_branch"
        attribute = raw.attributes.get(name)
        if attribute is None or not attribute.HasField("g"):
            raise InvalidNode(f"required attribute '{name}' is missing")
        graph = attribute.g
        if len(graph.output) < len(raw.outputs):
            given = f"'{name}' has {len(graph.output)} outputs"
            raise InvalidNode(f"{given}, If has {len(raw.outputs)}")
        body, scope = self._expander.branch(graph, raw, name)
        for initializer in graph.initializer:
            self.add_constant(scope.resolve(text(initializer.name)), initializer)
        for inner, outer in zip(graph.output, raw.outputs, strict=False):
            if outer:
                body.append(identity_node(scope.resolve(text(inner.name)), outer, scope))
        known = {**self._builder.tensors, **self._builder.blocked}
        wanted = [o for o in raw.outputs if o in self._used]
        return self.run(live_in_order(body, known, wanted), wanted)

    def _foreign_constant(self, raw: RawNode) -> bool:
        """Whether the node is a Constant of a type that the IR lacks; it is noted then."""
        value = raw.attributes.get("value")
        if value is None or len(raw.outputs) != 1 or not value.HasField("t"):
            return False
        try:
            decode(value.t, self._files)
        except ForeignTypeError:
            self._foreign.add(raw.outputs[0], value.t)
            return True
        return False

    def _recover(self, raw: RawNode) -> None:
        """Give the outputs that the node did not give a type where it is known, else block them."""
        missing = [
            o
            for o in raw.outputs
            if o and o not in self._builder.tensors and o not in self._builder.blocked
        ]
        if not missing:
            return
        types = recovered_types(raw, self._builder.tensors, self._declared)
        types.update(self._builder.foreseen)
        for name in missing:
            if name in types:
                self._builder.add_onnx(name, types[name])
            else:
                self._builder.blocked[name] = ""


def _unknown_operator(raw: RawNode) -> str:
    """Why a node of an operator that nothing imports cannot be taken."""
    if raw.domain not in _DOMAINS:
        return f"operators of domain {shown(raw.domain)} are not supported"
    if not raw.domain and schema_of(raw.op_type, raw.opset, "") is None:
        return f"opset {raw.opset} of ONNX has no such operator"
    return "this operator is not supported"
