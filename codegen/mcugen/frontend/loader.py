"""`load`: an ONNX file in, a Graph out, or one clear error."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import onnx

from mcugen.errors import ModelError, Unsupported, UnsupportedModelError, UsageError
from mcugen.frontend import reader
from mcugen.frontend.builder import GraphBuilder
from mcugen.frontend.external import ExternalFiles
from mcugen.frontend.inputs import resolve_shapes
from mcugen.frontend.malformed import Malformed, close_names, plain, shown, text
from mcugen.frontend.model import Model, read_model
from mcugen.frontend.ordering import live_in_order, reads
from mcugen.frontend.outputs import check_declared
from mcugen.frontend.values import DTYPES, checked_size, type_name
from mcugen.frontend.walk import Walk
from mcugen.ir import DType, Graph
from mcugen.ops import registry
from mcugen.ops.spec import FromOnnx, OpSpec, TensorType
from mcugen.verify import verify


@dataclass(frozen=True, eq=False)
class Imported:
    """A model that was read.

    Attributes:
        graph: the model; only its supported part, unverified, when `unsupported` is not empty.
        notices: what was assumed, one sentence each.
        unsupported: the nodes that cannot be generated.
        path: the model as the user named it.
        opset: version of the default ONNX operator set, 0 when the model does not use it.
        producer: name and version of the exporter, as written in the file.
        sha256: hex hash of the file, external data included.
    """

    graph: Graph
    notices: tuple[str, ...]
    unsupported: tuple[Unsupported, ...]
    path: str
    opset: int
    producer: str
    sha256: str


@dataclass(frozen=True, eq=False)
class _Request:
    """What the caller of `load` asked for."""

    path: str
    dims: Mapping[str, int]
    outputs: tuple[str, ...]
    name: str
    importers: Mapping[str, FromOnnx]
    specs: Mapping[str, OpSpec]


def load(
    path: str | Path,
    *,
    dims: Mapping[str, int] | None = None,
    outputs: Sequence[str] = (),
    name: str | None = None,
    allow_unsupported: bool = False,
    importers: Mapping[str, FromOnnx] | None = None,
    specs: Mapping[str, OpSpec] | None = None,
) -> Imported:
    """Read an ONNX file.

    Args:
        path: the file; external data is read from its folder only.
        dims: value of each symbolic dimension, by its name or `input:axis`.
        outputs: values that become the outputs in place of the model's own.
        name: of the Graph; the file's stem by default.
        allow_unsupported: list nodes that cannot be generated instead of raising.
        importers: ONNX operator -> from_onnx; the registry's by default.
        specs: operator -> OpSpec; the registry's by default.

    Raises:
        UnsupportedModelError: nodes that cannot be generated, all of them.
        ModelError: the file is not a valid ONNX model, or beyond the limits.
        UsageError: `dims` or `outputs` name what the model does not have.
    """
    file = Path(path)
    request = _request(str(path), dims, outputs, name or file.stem, importers, specs)
    try:
        content = reader.read_bytes(file)
        model = reader.parse(content, file)
        found = _import(model, content, ExternalFiles(file.parent), request)
    except Malformed as error:
        raise ModelError(f"{path}: {error.reason}", hint=error.hint) from None
    return _checked(found, allow_unsupported=allow_unsupported)


def load_model(
    model: onnx.ModelProto,
    *,
    path: str = "<model>",
    base_dir: str | Path | None = None,
    dims: Mapping[str, int] | None = None,
    outputs: Sequence[str] = (),
    name: str | None = None,
    allow_unsupported: bool = False,
    importers: Mapping[str, FromOnnx] | None = None,
    specs: Mapping[str, OpSpec] | None = None,
) -> Imported:
    """Read a model that is in memory and stays as it is.

    Messages call it `path`; `base_dir` is the folder of external data, None when there is none.
    The other arguments, and the errors, are those of `load`.
    """
    title = name or model.graph.name or "model"
    request = _request(path, dims, outputs, title, importers, specs)
    folder = None if base_dir is None else Path(base_dir)
    try:
        content = model.SerializeToString(deterministic=True)
        found = _import(model, content, ExternalFiles(folder), request)
    except Malformed as error:
        raise ModelError(f"{path}: {error.reason}", hint=error.hint) from None
    return _checked(found, allow_unsupported=allow_unsupported)


def _request(
    path: str,
    dims: Mapping[str, int] | None,
    outputs: Sequence[str],
    name: str,
    importers: Mapping[str, FromOnnx] | None,
    specs: Mapping[str, OpSpec] | None,
) -> _Request:
    return _Request(
        path,
        dims or {},
        tuple(outputs),
        name,
        registry.importers() if importers is None else importers,
        registry.specs() if specs is None else specs,
    )


def _checked(found: Imported, *, allow_unsupported: bool) -> Imported:
    if found.unsupported and not allow_unsupported:
        raise UnsupportedModelError(found.path, found.unsupported)
    return found


def _import(
    proto: onnx.ModelProto, content: bytes, files: ExternalFiles, request: _Request
) -> Imported:
    try:
        return _import_model(proto, content, files, request)
    except RecursionError:
        raise Malformed("the model is nested too deeply") from None
    except MemoryError:
        raise Malformed("the model needs more memory than there is") from None


def _import_model(
    proto: onnx.ModelProto, content: bytes, files: ExternalFiles, request: _Request
) -> Imported:
    model = read_model(proto)
    wanted = _wanted(model, request.outputs)
    known = {**model.initializers, **{i.name: i for i in model.inputs}}
    nodes = live_in_order(model.nodes, known, wanted)
    needed = {*wanted, *(n for node in nodes for n in reads(node))}
    builder = GraphBuilder(request.specs, model.names)
    inputs, notices = _add_inputs(builder, model, needed if request.outputs else None, request.dims)
    walk = Walk(builder, request.importers, model.expander, files, model.declared)
    for name, tensor in model.initializers.items():
        if name in needed:
            walk.add_constant(name, tensor)
    unsupported = walk.run(nodes, wanted)
    if unsupported:
        graph = _partial_graph(request.name, builder, inputs, wanted)
    else:
        notices += check_declared(model.outputs, wanted, builder)
        graph = _graph(request.name, builder, inputs, wanted, request.specs)
    return Imported(
        graph,
        notices,
        tuple(unsupported),
        request.path,
        model.opsets.get("", 0),
        plain(f"{text(proto.producer_name)} {text(proto.producer_version)}".strip()),
        hashlib.sha256(content + files.digest(model.initializers.values())).hexdigest(),
    )


def _wanted(model: Model, chosen: Sequence[str]) -> tuple[str, ...]:
    """The outputs: the model's own, or those that the user chose.

    Raises:
        UsageError: a chosen name is no value of the model, or is chosen twice.
    """
    if not chosen:
        return tuple(text(o.name) for o in model.outputs)
    values = dict.fromkeys(o for node in model.nodes for o in node.outputs if o)
    values.update(dict.fromkeys((*model.initializers, *(i.name for i in model.inputs))))
    for name in chosen:
        if name not in values:
            raise UsageError(
                f"the model has no value {shown(name)} to be an output",
                hint=close_names(name, values),
            )
    if len(set(chosen)) < len(chosen):
        raise UsageError("an output is given twice")
    return tuple(chosen)


def _add_inputs(
    builder: GraphBuilder, model: Model, needed: set[str] | None, dims: Mapping[str, int]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Add the inputs (only `needed` ones when given); returns their names, and notices."""
    wanted = [i for i in model.inputs if needed is None or i.name in needed]
    tensors = [i for i in wanted if _input_dtype(i) is not None]
    shapes, notices = resolve_shapes(tensors, dims)
    for info in wanted:
        dtype = _input_dtype(info)
        if dtype is None:
            builder.blocked[info.name] = f"input {shown(info.name)} is {_kind(info)}"
            continue
        shape = shapes[info.name]
        checked_size(shape, dtype.itemsize, f"input {shown(info.name)}")
        builder.add_onnx(info.name, TensorType(shape, dtype))
    return tuple(i.name for i in wanted), notices


def _input_dtype(info: onnx.ValueInfoProto) -> DType | None:
    """The element type of a tensor input that can be taken."""
    dtype = DTYPES.get(info.type.tensor_type.elem_type)
    return None if dtype is DType.FLOAT16 else dtype


def _kind(info: onnx.ValueInfoProto) -> str:
    """What an input that cannot be taken is, with its article."""
    kind = info.type.WhichOneof("value")
    if kind is None:
        return "a value without a type"
    if kind == "tensor_type":
        return f"a tensor of {type_name(info.type.tensor_type.elem_type)}"
    name = kind.removesuffix("_type").replace("_", " ")
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _graph(
    name: str,
    builder: GraphBuilder,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    specs: Mapping[str, OpSpec],
) -> Graph:
    for value in (*inputs, *outputs):
        if value in builder.blocked:
            reason = builder.blocked[value] or f"output {shown(value)} is not a supported tensor"
            raise Malformed(f"{reason}, which is not supported")
        if builder.tensors[value].dtype is DType.FLOAT16:
            raise Malformed(f"output {shown(value)} is a tensor of float16, which is not supported")
    graph = Graph(name, (), builder.tensors, inputs, outputs).rebuild(builder.nodes)
    verify(graph, "import", specs=specs)
    return graph


def _partial_graph(
    name: str, builder: GraphBuilder, inputs: Sequence[str], outputs: Sequence[str]
) -> Graph:
    """What could be imported; results of unsupported nodes are tensors that nothing produces."""
    known = [tuple(n for n in names if n in builder.tensors) for names in (inputs, outputs)]
    return Graph(name, (), builder.tensors, *known).rebuild(builder.nodes)
