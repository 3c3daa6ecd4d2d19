"""Figures against values computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen.device.energy import (
    Span,
    energy_j,
    latency_of,
    layer_costs,
    mean_power_w,
    power_of,
    window_of,
)
from mcugen.device.meters.base import Recording
from mcugen.device.meters.edges import falling_edges, thinned
from mcugen.device.replies import LayerTime
from mcugen.errors import DeviceError

# 1 V; current 1 A, then a ramp to 3 A within a second, then 3 A
RAMP = Recording(
    np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 1.0, 3.0, 3.0]), np.array([1.0, 1.0, 1.0, 1.0])
)


def test_energy_is_the_area_under_the_power() -> None:
    assert energy_j(RAMP, 0.0, 3.0) == pytest.approx(1 + 2 + 3)
    assert energy_j(RAMP, 0.0, 1.0) == pytest.approx(1)
    assert energy_j(RAMP, 0.25, 0.75) == pytest.approx(0.5)
    assert energy_j(RAMP, 0.5, 2.5) == pytest.approx(0.5 + 2 + 1.5)
    assert mean_power_w(RAMP, Span(1.0, 2.0, 5, 1.0)) == pytest.approx(2)


def test_unequal_steps_count_by_their_length() -> None:
    rec = Recording(np.array([0.0, 0.1, 1.0]), np.array([2.0, 2.0, 2.0]), np.full(3, 5.0))
    assert energy_j(rec, 0.0, 1.0) == pytest.approx(10)


def test_samples_must_reach_over_the_stretch() -> None:
    for start, end in ((-0.1, 1.0), (1.0, 3.1)):
        with pytest.raises(DeviceError, match="do not reach over the inferences"):
            energy_j(RAMP, start, end)
    empty = Recording(np.empty(0), np.empty(0), np.empty(0))
    with pytest.raises(DeviceError, match=r"samples \(none\)"):
        energy_j(empty, 0, 1)


def test_a_hole_in_the_samples_is_no_measurement() -> None:
    time_s = np.array([*np.arange(0, 1, 0.01), *np.arange(2, 3, 0.01)])
    rec = Recording(time_s, np.ones(200), np.ones(200))
    assert energy_j(rec, 0.1, 0.9) == pytest.approx(0.8)
    with pytest.raises(DeviceError, match=r"no samples for 1\.010 s in the midst"):
        energy_j(rec, 0.1, 2.9)


def test_marks_at_one_time_have_no_power() -> None:
    with pytest.raises(DeviceError, match="two marks at the same time"):
        mean_power_w(RAMP, Span(1.0, 1.0, 5, 0.0))


def test_the_figures_of_a_run() -> None:
    time_s = np.arange(0, 10.01, 0.01)
    active = ((time_s >= 2) & (time_s <= 4)) | ((time_s >= 6) & (time_s <= 8))
    rec = Recording(time_s, np.where(active, 0.1, 0.01), np.full(len(time_s), 3.0))
    spans = (Span(2.0, 4.0, 20, 2.0), Span(6.0, 8.0, 10, 2.0))
    idle_w = mean_power_w(rec, Span(0.0, 1.0, 0, 1.0))
    assert idle_w == pytest.approx(0.03)
    windows = [window_of(rec, s, idle_w) for s in spans]
    assert [w.energy_j for w in windows] == pytest.approx([0.6, 0.6])
    assert [w.net_energy_j for w in windows] == pytest.approx([0.54, 0.54])
    power = power_of(rec, spans, windows, idle_w)
    assert power.energy_j == pytest.approx((0.03 + 0.06) / 2)
    assert power.net_energy_j == pytest.approx((0.027 + 0.054) / 2)
    assert power.active_w == pytest.approx(0.3)
    assert (power.peak_a, power.voltage_v) == (pytest.approx(0.1), pytest.approx(3.0))
    assert power.samples == 1001
    assert window_of(None, spans[0], None).energy_j is None


def test_a_meter_too_slow_for_the_windows() -> None:
    spans = (Span(0.1, 0.2, 1, 0.1),)
    with pytest.raises(DeviceError, match="took no sample during the inferences"):
        power_of(RAMP, spans, [window_of(RAMP, spans[0], 0.0)], 0.0)


def test_percentiles_by_the_nearest_rank() -> None:
    found = latency_of(np.arange(200, 0, -1))
    assert (found.count, found.min_us, found.max_us) == (200, 1, 200)
    assert (found.median_us, found.p99_us) == (100, 198)
    assert found.jitter_us == pytest.approx(((200**2 - 1) / 12) ** 0.5)
    one = latency_of(np.array([7.0]))
    assert (one.median_us, one.p99_us, one.jitter_us) == (7, 7, 0)
    three = latency_of(np.array([3.0, 1.0, 2.0]))
    assert (three.median_us, three.p99_us) == (2, 3)


def test_layers_share_the_energy_by_their_time() -> None:
    layers = (LayerTime("QConv", "a", 300, 3000), LayerTime("Softmax", "b", 100, 0))
    first, second = layer_costs(layers, 10, 0.008)
    assert (first.us, first.cycles, first.energy_j) == (30, 300, pytest.approx(0.006))
    assert (second.us, second.cycles, second.energy_j) == (10, None, pytest.approx(0.002))
    assert layer_costs(layers, 10, None)[0].energy_j is None
    assert layer_costs((LayerTime("a", "b", 0, 0),), 10, 0.008)[0].energy_j is None


def test_edges_and_means() -> None:
    time_s = np.arange(8) / 10
    edges = falling_edges(time_s, np.array([0, 1, 1, 0, 0, 1, 0, 1]))
    assert edges.tolist() == pytest.approx([0.3, 0.6])
    times, means = thinned(time_s, np.arange(8.0), 3)
    assert times.tolist() == pytest.approx([0.1, 0.4]) and means.tolist() == [1, 4]
