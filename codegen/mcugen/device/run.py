"""The steps of a run on a board, each leaving what it found even when a later one fails."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mcugen.device import dataset as data
from mcugen.device.energy import mean_power_w, power_of, window_of
from mcugen.device.measured_project import MeasuredProject
from mcugen.device.measurement import Accuracy, Power, Window
from mcugen.device.metering import Metered, Metering, metering
from mcugen.device.meters.base import Meter
from mcugen.device.protocol import Board, RefusedError
from mcugen.device.replies import LayerTime
from mcugen.errors import DeviceError, McugenError
from mcugen.host import HostModel
from mcugen.ir import Array

_FIRST_LIMIT_S = 120.0
"""For the first inference, of which nothing is known."""
_TIMING_S = 0.5
"""Of inferences, at most a tenth of a window, from which the number in a window is chosen."""
_MARGIN = 1.05
"""So that a window is not too short when inferences are a little faster in it."""
_LAYERS_S, _MOST_LAYER_RUNS = 2.0, 20
_IDLE_S = 2.0
_CLOCK_STEP_S = 1e-6
_TIMINGS, _MOST_MORE = 4, 1000.0
"""How often the timing is repeated with more inferences, at most so many times as many."""
_CHUNK_S = 5.0
_TRIES, _MOST_GROWTH = 5, 10.0
"""Of one window that comes out too short, and by how much its inferences grow at most each time."""
_MOST_COUNT = 2**32 - 1
"""Of inferences in one command."""


@dataclass(frozen=True)
class RunOptions:
    """What is run.

    Attributes:
        windows: timed windows.
        window_s: least length of one.
        runs: single inferences that are timed.
        warmup: inferences before each window.
        dataset: npz file with samples; None compares one seeded sample.
        core: that infers; None as the firmware has it.
    """

    windows: int = 5
    window_s: float = 10.0
    runs: int = 100
    warmup: int = 10
    dataset: Path | None = None
    core: int | None = None


@dataclass
class Findings:
    """What is known so far; see `Measurement` for the fields."""

    info: Mapping[str, str] = field(default_factory=dict)
    selftest: str = ""
    times_us: Array | None = None
    layers: tuple[LayerTime, ...] = ()
    layer_runs: int = 0
    metered: Metered | None = None
    windows: tuple[Window, ...] = ()
    power: Power | None = None
    accuracy: Accuracy | None = None
    faults: list[str] = field(default_factory=list)


@dataclass
class Run:
    """A run on one board.

    Attributes:
        project: what should be on the board.
        board: open, not yet in step.
        meter: open; None without.
        host: makes the project's C of the model on this machine, when it is needed.
        options: what is run.
        say: shows progress.
        found: filled step by step.
    """

    project: MeasuredProject
    board: Board
    meter: Meter | None
    host: Callable[[], HostModel]
    options: RunOptions
    say: Callable[[str], None]
    found: Findings = field(default_factory=Findings)
    _each_s: float = 0.0

    def all_steps(self) -> None:
        """Runs everything.

        Raises:
            McugenError: a step failed; `found` holds what the others left.
        """
        samples = self._samples()  # the user's file is read before the board is asked for anything
        self._identify()
        self._check_layers()
        self._time_inferences()
        self._layer_times()
        self._timed_windows()
        self._compare(samples)

    def _samples(self) -> data.Dataset:
        path = self.options.dataset
        return data.seeded(self.host()) if path is None else data.load_dataset(path, self.host())

    def _identify(self) -> None:
        self.say("finding the board")
        self.board.sync()
        self.found.info = self.board.info()
        if self.found.info["hash"] != self.project.model_hash:
            model = self.found.info.get("model", "?")
            raise DeviceError(
                f"the board runs another model: '{model}' with hash "
                f"{self.found.info['hash'][:12]}..., the project's '{self.project.prefix}' is "
                f"{self.project.model_hash[:12]}...",
                hint=f"mcugen flash {self.project.folder.path}",
            )
        self._require_this_export(self.found.info)
        if self.options.core is not None:
            self.board.core(self.options.core)

    def _require_this_export(self, info: Mapping[str, str]) -> None:
        """That the model was not exported otherwise: other kernels, memory or board."""
        for key, wanted in self.project.said.items():
            if info.get(key, wanted) != wanted:
                raise DeviceError(
                    f"the board runs another export of this model: {key} is '{info[key]}', the "
                    f"project's is '{wanted}'",
                    hint=f"mcugen flash {self.project.folder.path}",
                )

    def _check_layers(self) -> None:
        self.say("self-test")
        self.found.selftest, line = self.board.selftest()
        if self.found.selftest == "fail":
            self.found.faults.append(f"the board's self-test failed: {line}")

    def _time_inferences(self) -> None:
        self._each_s = self._timing()
        self.say(f"single inferences, about {self._each_s * 1e3:.3g} ms each")
        most = max(1, int(_CHUNK_S / self._each_s))
        times: list[Array] = []
        for done in range(0, self.options.runs, most):
            some = min(most, self.options.runs - done)
            times.append(self.board.each(some, _limit(some * self._each_s)))
            self.found.times_us = np.concatenate(times)

    def _timing(self) -> float:
        """Seconds of an inference, from as many as the clock needs to tell them apart."""
        target = min(_TIMING_S, self.options.window_s / 10)
        count, laps = 1, self.board.infer(1, 1, _FIRST_LIMIT_S)
        for _ in range(_TIMINGS):
            if laps.seconds >= target / 2:
                return laps.seconds / count
            more = min(target / max(laps.seconds, _CLOCK_STEP_S), _MOST_MORE)
            limit_s = _limit(more * max(laps.seconds, _CLOCK_STEP_S))
            count = min(math.ceil(count * more), _MOST_COUNT)
            laps = self.board.infer(count, 0, limit_s)
        if laps.seconds == 0:
            raise DeviceError(
                f"the board's clock stands still: {count:,} inferences took no time by it",
                hint="the firmware's timer is not running; flash the project anew",
            )
        return laps.seconds / count

    def _layer_times(self) -> None:
        count = min(_MOST_LAYER_RUNS, max(1, int(_LAYERS_S / self._each_s)))
        self.found.layers = self.board.layers(count, _limit(2 * count * self._each_s))
        self.found.layer_runs = count

    def _timed_windows(self) -> None:
        beside = metering(self.board, self.meter)
        try:
            self._run_windows(beside)
        except McugenError:
            with suppress(McugenError):  # the first error is the one to be told
                self.found.metered = beside.finish(early=True).from_zero()
                self._settle()
            raise
        self.found.metered = beside.finish().from_zero()
        self._settle()

    def _run_windows(self, beside: Metering) -> None:
        beside.begin()
        if self.meter is not None:
            self.say("idle power")
            beside.idle(min(_IDLE_S, self.options.window_s))
        least_s = self.options.window_s + beside.late_s
        count = _grown(1, least_s, self._each_s, _MOST_COUNT)
        for number in range(1, self.options.windows + 1):
            count = self._window(beside, f"window {number} of {self.options.windows}", count)

    def _window(self, beside: Metering, title: str, count: int) -> int:
        """Runs one that is long enough; gives the number of inferences that made it so."""
        least_s = self.options.window_s + beside.late_s
        warmup, seconds = self.options.warmup, 0.0
        for _ in range(_TRIES):
            self.say(f"{title}: {count:,} inferences")
            seconds = beside.window(count, warmup, _limit((count + warmup) * self._each_s))
            if seconds >= least_s:
                return count
            beside.discard()
            count = _grown(count, least_s, seconds, _MOST_GROWTH)
        raise DeviceError(
            f"{title} stays too short: {seconds:.3f} s in the last of {_TRIES} attempts, of at "
            f"most {count:,} inferences; {least_s:g} s are wanted",
            hint="the board's speed changes all the time: fix its clock, stop other work on it; "
            "or a smaller --window-s",
        )

    def _settle(self) -> None:
        """Windows and power of what the meter saw; times alone where it cannot be used."""
        seen = self.found.metered
        assert seen is not None
        self.found.windows = tuple(window_of(None, s, None) for s in seen.spans)
        if seen.recording is None or self.meter is None:
            return
        if seen.recording.overflow:
            raise DeviceError(
                f"the current left the range of the meter {self.meter.title}: its energies would "
                "be too small",
                hint="a smaller shunt, or a meter with a larger range",
            )
        if seen.idle is None or not seen.spans:
            return
        idle_w = mean_power_w(seen.recording, seen.idle)
        windows = tuple(window_of(seen.recording, s, idle_w) for s in seen.spans)
        self.found.power = power_of(seen.recording, seen.spans, windows, idle_w)
        self.found.windows = windows

    def _compare(self, samples: data.Dataset) -> None:
        """Every sample through the board and through the host's copy of the same C."""
        total = len(samples.samples)
        correct = equal = 0
        difference = ""
        for number, sample in enumerate(samples.samples):
            self.say(f"sample {number + 1} of {total}")
            try:
                self.board.load(data.input_bytes(self.host(), sample))
            except RefusedError:
                if self.options.dataset is None:
                    return  # built without the buffer: nothing can be compared
                raise
            where, guess = self._one_sample(sample)
            equal += not where
            if where and not difference:
                difference = f"sample {number}: {where}"
                self.found.faults.append(f"outputs differ from the host's: {difference}")
            correct += samples.labels is not None and guess == samples.labels[number]
            self.found.accuracy = Accuracy(
                samples=number + 1,
                labelled=number + 1 if samples.labels is not None else 0,
                correct=correct,
                equal=equal,
                first_difference=difference,
            )

    def _one_sample(self, sample: Mapping[str, Array]) -> tuple[str, int]:
        """(where outputs first differ, index of the largest of the first output)."""
        host = self.host()
        self.board.infer(1, 0, _limit(self._each_s))
        wanted = host.run(sample)
        where, guess = "", -1
        for index, tensor in enumerate(host.outputs):
            got = data.output_array(tensor, self.board.output(index, tensor.nbytes))
            where = where or data.first_difference(tensor, got, wanted[tensor.name])
            if index == 0 and got.size:
                guess = int(np.argmax(got))
        return where, guess


def _grown(count: int, least_s: float, seconds: float, most: float) -> int:
    """More inferences, to last `least_s` and a little more where `count` lasted `seconds`."""
    more = min(least_s * _MARGIN / max(seconds, _CLOCK_STEP_S / _MOST_COUNT), most)
    return min(max(math.ceil(count * more), count), _MOST_COUNT)


def _limit(expected_s: float) -> float:
    """Time for a command that should take this long."""
    return 2 * expected_s + 10.0
