"""Energy between marks of a recording, and the statistics of a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.device.measurement import Latency, LayerCost, Power, Window
from mcugen.device.meters.base import Recording
from mcugen.device.replies import LayerTime
from mcugen.errors import DeviceError
from mcugen.ir import Array

_GAP_S, _GAP, _GAP_STEPS = 0.1, 0.05, 20
"""A hole in the samples is longer than each: seconds, a share of the stretch, usual steps."""


@dataclass(frozen=True)
class Span:
    """A stretch between two marks, on the recording's clock.

    Attributes:
        start_s, end_s: the marks.
        inferences: between them.
        seconds: between them by the board's clock, or the meter's where only that saw them.
    """

    start_s: float
    end_s: float
    inferences: int
    seconds: float

    def moved(self, by_s: float) -> Span:
        """The same on a clock that shows `by_s` more."""
        return Span(self.start_s + by_s, self.end_s + by_s, self.inferences, self.seconds)


def energy_j(recording: Recording, start_s: float, end_s: float) -> float:
    """Joules between two times: power taken as linear between samples, the trapezoid rule.

    Raises:
        DeviceError: the samples do not reach over that stretch, or stop inside it.
    """
    time_s = recording.time_s
    if len(time_s) < 2 or time_s[0] > start_s or time_s[-1] < end_s:
        have = f"{time_s[0]:.3f} s to {time_s[-1]:.3f} s" if len(time_s) else "none"
        raise DeviceError(
            f"the meter's samples ({have}) do not reach over the inferences "
            f"({start_s:.3f} s to {end_s:.3f} s)",
            hint="start the meter before the run and stop it behind it; was it unplugged?",
        )
    _refuse_gaps(time_s, start_s, end_s)
    power = recording.current_a * recording.voltage_v
    steps = np.diff(time_s) * (power[1:] + power[:-1]) / 2
    total = np.concatenate([[0.0], np.cumsum(steps)])
    low, high = np.interp([start_s, end_s], time_s, total)
    return float(high - low)


def _refuse_gaps(time_s: Array, start_s: float, end_s: float) -> None:
    first = max(int(np.searchsorted(time_s, start_s, "right")) - 1, 0)
    last = int(np.searchsorted(time_s, end_s, "left"))
    gaps = np.diff(time_s[first : last + 1])
    longest = float(gaps.max())  # the samples reach over the stretch: there are two at least
    if longest > max(_GAP_S, _GAP * (end_s - start_s), _GAP_STEPS * float(np.median(gaps))):
        raise DeviceError(
            f"the meter sent no samples for {longest:.3f} s in the midst of the inferences",
            hint="use its own USB socket, no hub; close other programs",
        )


def window_of(recording: Recording | None, span: Span, idle_w: float | None) -> Window:
    """The window of a span; without a recording its time alone."""
    if recording is None:
        return Window(span.inferences, span.seconds)
    total = energy_j(recording, span.start_s, span.end_s)
    net = None if idle_w is None else total - idle_w * (span.end_s - span.start_s)
    return Window(
        inferences=span.inferences,
        seconds=span.seconds,
        energy_j=total,
        net_energy_j=net,
        start_s=span.start_s,
        end_s=span.end_s,
    )


def mean_power_w(recording: Recording, span: Span) -> float:
    """Watts over a span."""
    length = span.end_s - span.start_s
    if length <= 0:
        raise DeviceError(f"two marks at the same time, {span.start_s:.6f} s")
    return energy_j(recording, span.start_s, span.end_s) / length


def power_of(
    recording: Recording, spans: Sequence[Span], windows: Sequence[Window], idle_w: float
) -> Power:
    """The electrical figures of a run; energies are per inference, the median of the windows."""
    inside = np.zeros(len(recording.time_s), np.bool_)
    for span in spans:
        inside |= (recording.time_s >= span.start_s) & (recording.time_s <= span.end_s)
    if not inside.any():
        raise DeviceError(
            "the meter took no sample during the inferences",
            hint="longer windows (--window-s), or a faster meter",
        )
    per = [(w.energy_j or 0.0) / w.inferences for w in windows]
    net = [(w.net_energy_j or 0.0) / w.inferences for w in windows]
    seconds = sum(s.end_s - s.start_s for s in spans)
    return Power(
        energy_j=float(np.median(per)),
        net_energy_j=float(np.median(net)),
        idle_w=idle_w,
        active_w=sum(w.energy_j or 0.0 for w in windows) / seconds,
        peak_a=float(recording.current_a[inside].max()),
        voltage_v=float(recording.voltage_v[inside].mean()),
        samples=len(recording.time_s),
    )


def latency_of(times_us: Array) -> Latency:
    """Statistics of single inferences; percentiles by the nearest rank, jitter of the population.

    Nearest rank: the smallest time that at least this share of the times does not exceed.
    """
    ordered = np.sort(np.asarray(times_us, np.float64))

    def rank(share: float) -> float:
        return float(ordered[max(math.ceil(share * len(ordered)), 1) - 1])

    return Latency(
        count=len(ordered),
        median_us=rank(0.5),
        p99_us=rank(0.99),
        min_us=float(ordered[0]),
        max_us=float(ordered[-1]),
        jitter_us=float(ordered.std()),
    )


def layer_costs(
    layers: Sequence[LayerTime], count: int, per_inference_j: float | None
) -> tuple[LayerCost, ...]:
    """Means of the layers; an inference's energy is split by their times."""
    total = sum(layer.us for layer in layers)
    return tuple(
        LayerCost(
            name=layer.name,
            op=layer.op,
            us=layer.us / count,
            cycles=layer.cycles / count if layer.cycles else None,
            energy_j=None if per_inference_j is None or not total
            else per_inference_j * layer.us / total,
        )
        for layer in layers
    )  # fmt: skip
