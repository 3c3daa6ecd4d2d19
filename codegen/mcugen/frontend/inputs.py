"""Fixes every dimension of the model's inputs: declared, given by the user, or a batch of 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import onnx

from mcugen.errors import UsageError
from mcugen.frontend.malformed import Malformed, close_names, plain, shown, text


@dataclass(frozen=True)
class _Dim:
    """One dimension as written: `value` when static, else its symbol, "" when it has none."""

    tensor: str
    axis: int
    value: int | None
    symbol: str

    @property
    def site(self) -> str:
        return f"{self.tensor}:{self.axis}"

    @property
    def key(self) -> str:
        """The name to give in `--dim`."""
        return self.symbol or self.site


def resolve_shapes(
    inputs: Iterable[onnx.ValueInfoProto], given: Mapping[str, int]
) -> tuple[dict[str, tuple[int, ...]], tuple[str, ...]]:
    """Input name -> static shape, and notices about what was assumed.

    Args:
        inputs: the model's tensor inputs.
        given: symbol, or `input:axis`, -> value.

    Raises:
        Malformed: no shape, a negative dimension, or a dimension without a value.
        UsageError: `given` has an unknown name, a value below 1, or contradicts the model.
    """
    shapes = {text(i.name): _dims(i) for i in inputs}
    every = [d for dims in shapes.values() for d in dims]
    _check_given(given, every)
    symbols = {d.symbol: given[d.symbol] for d in every if d.symbol in given}
    notices = []
    for dim in every:
        if dim.axis == 0 and dim.value is None and dim.site not in given:
            if dim.symbol and dim.symbol in symbols:
                continue
            if dim.symbol:
                symbols[dim.symbol] = 1
                notices.append(
                    f'batch dimension "{plain(dim.symbol)}" of input {plain(dim.tensor)} set to 1'
                )
            else:
                notices.append(f"unnamed leading dimension of input {plain(dim.tensor)} set to 1")
    resolved = {
        name: tuple(_value(d, given, symbols) for d in dims) for name, dims in shapes.items()
    }
    _check_resolved(every, resolved)
    return {name: tuple(v or 0 for v in shape) for name, shape in resolved.items()}, tuple(notices)


def _dims(info: onnx.ValueInfoProto) -> tuple[_Dim, ...]:
    name = text(info.name)
    if not info.type.tensor_type.HasField("shape"):
        raise Malformed(
            f"input {shown(name)} has no shape, not even a number of dimensions",
            "export the model with input shapes",
        )
    return tuple(
        _Dim(name, axis, d.dim_value if d.HasField("dim_value") else None, text(d.dim_param))
        for axis, d in enumerate(info.type.tensor_type.shape.dim)
    )


def _value(dim: _Dim, given: Mapping[str, int], symbols: Mapping[str, int]) -> int | None:
    if dim.site in given:
        return given[dim.site]
    if dim.value is not None:
        return dim.value
    if dim.symbol:
        return symbols.get(dim.symbol)
    return 1 if dim.axis == 0 else None


def _check_given(given: Mapping[str, int], every: Iterable[_Dim]) -> None:
    sites = {d.site: d for d in every}
    symbols = list(dict.fromkeys(d.symbol for d in sites.values() if d.symbol))
    for name, value in given.items():
        if name not in symbols and name not in sites:
            open_sites = [d.key for d in sites.values() if d.value is None]
            known = (
                ", ".join(map(plain, dict.fromkeys(open_sites)))
                or "none, all its dimensions are fixed"
            )
            raise UsageError(
                f"the model has no dimension {shown(name)}; it has: {known}",
                hint=close_names(name, (*symbols, *sites)),
            )
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise UsageError(
                f"dimension {shown(name)} must be an integer of at least 1, got {value}"
            )
        fixed = sites[name].value if name in sites else None
        if fixed is not None and fixed >= 0 and fixed != value:
            raise UsageError(f"dimension {shown(name)} is {fixed} in the model, got {value}")


def _check_resolved(every: Iterable[_Dim], resolved: Mapping[str, tuple[int | None, ...]]) -> None:
    open_dims = []
    for dim in every:
        value = resolved[dim.tensor][dim.axis]
        if value is None:
            open_dims.append(dim)
        elif value < 0:
            raise Malformed(
                f"input {shown(dim.tensor)} has a negative dimension: {value} on axis {dim.axis}",
                f"give its real value: --dim {plain(dim.site)}=INT",
            )
    if open_dims:
        listed = ", ".join(
            f"{shown(d.key)} (axis {d.axis} of {plain(d.tensor)})" for d in open_dims
        )
        options = dict.fromkeys(f"--dim {plain(d.key)}=INT" for d in open_dims)
        raise Malformed(f"dimensions without a value: {listed}", f"give {' '.join(options)}")
