"""Otii Arc and Ace by `otii-tcp-client`, through the Otii software that runs on this computer.

The trigger pin is on GPI1. The meter is the board's supply, at the voltage of --supply-v.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from mcugen.device.meters.base import PIN, MeterOptions, Recording, failures
from mcugen.errors import DeviceError, MissingExtraError

_HINT = "start the Otii software, its server too (otii-server), with a licence for automation"
_CURRENT, _VOLTAGE, _INPUT = "mc", "mv", "i1"
_MAX_A = 0.5
_BLOCK = 400_000


class OtiiMeter:
    """The only device that the Otii software sees, or the one of a name (`otii:NAME`)."""

    simulated = False
    marks = PIN

    def __init__(self, options: MeterOptions) -> None:
        self.name = "otii"
        self.title = "Otii"
        self.step_a = 0.0
        self.notes = (f"it supplies the board with {options.supply_v:g} V",)
        self._wanted = options.argument
        self._supply_v = options.supply_v
        self._client: Any = None
        self._device: Any = None
        self._project: Any = None

    def open(self) -> None:
        """Connects, and switches the board on."""
        try:
            from otii_tcp_client.otii_client import OtiiClient
        except ImportError as error:
            raise MissingExtraError("the meter Otii", "otii-tcp-client", "otii") from error
        with failures(self.title, _HINT):
            self._client = OtiiClient()
            otii = self._client.connect(try_for_seconds=5)
            self._device = _only(otii.get_devices(timeout=5), self._wanted)
            self.title = f"Otii {self._device.type} {self._device.name}"
            self._device.set_main_voltage(self._supply_v)
            self._device.set_max_current(_MAX_A)
            self._device.set_exp_voltage(self._supply_v)  # the level of GPI1
            for channel in (_CURRENT, _VOLTAGE, _INPUT):
                self._device.enable_channel(channel, True)
            self._device.set_main(True)
            self._project = otii.create_project()

    def start(self) -> None:
        """Starts a recording of the Otii software."""
        with failures(self.title, _HINT):
            self._project.start_recording()

    def check(self) -> None:
        """Raises when the device is gone, or has switched the board off."""
        with failures(self.title, _HINT):
            if not self._device.is_connected():
                raise DeviceError(f"the meter {self.title} was unplugged")

    def stop(self) -> Recording:
        """The samples of the recording."""
        self.check()
        with failures(self.title, _HINT):
            self._project.stop_recording()
            recording = self._project.get_last_recording()
            if recording is None:
                raise DeviceError(f"the meter {self.title} has no recording")
            on = bool(self._device.get_main())
            return self._read(recording, cut_off=not on)

    def close(self) -> None:
        """Lets go of the Otii software; the board stays on."""
        if self._client is not None:
            try:
                self._project.close(force=True)
                self._client.disconnect()
            except Exception:  # the server may be gone: what was recorded is kept
                self._client = None

    def _read(self, recording: Any, *, cut_off: bool) -> Recording:
        time_s, current = self._analog(recording, _CURRENT)
        volt_time, volts = self._analog(recording, _VOLTAGE)
        if len(time_s) == 0 or len(volts) == 0:
            raise DeviceError(f"the meter {self.title} recorded no samples")
        count = recording.get_channel_data_count(self._device.id, _INPUT)
        changes = recording.get_channel_data(self._device.id, _INPUT, 0, count)["values"]
        return Recording(
            time_s=time_s,
            current_a=current,
            voltage_v=np.interp(time_s, volt_time, volts),
            edges_s=_falling(changes),
            overflow=cut_off,
            notes=("the meter cut the supply off: more than its limit",) if cut_off else (),
        )

    def _analog(self, recording: Any, channel: str) -> tuple[Any, Any]:
        """(times, values) of a channel."""
        count = recording.get_channel_data_count(self._device.id, channel)
        times, values = [np.empty(0)], [np.empty(0)]
        for at in range(0, count, _BLOCK):
            some = min(_BLOCK, count - at)
            data = recording.get_channel_data(self._device.id, channel, at, some)
            found = np.asarray(data["values"], np.float64)
            times.append(data["timestamp"] + np.arange(len(found)) * data["interval"])
            values.append(found)
        return np.concatenate(times), np.concatenate(values)


def _falling(changes: list[Any]) -> Any:
    """Times of changes to low; the first entry only says how the pin was."""
    pairs = itertools.pairwise(changes)
    found = [later["timestamp"] for before, later in pairs if before["value"] > later["value"]]
    return np.asarray(found, np.float64)


def _only(devices: list[Any], wanted: str) -> Any:
    fitting = [d for d in devices if not wanted or wanted in (d.name, d.id)]
    if len(fitting) != 1:
        found = ", ".join(d.name for d in devices) or "none"
        raise DeviceError(
            f"Otii devices that the software sees: {found}; one"
            f"{f' called {wanted}' if wanted else ''} is needed",
            hint="plug it in, or name it: --meter otii:NAME",
        )
    return fitting[0]
