"""The meters by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mcugen.device.meters.base import Meter, MeterOptions
from mcugen.device.meters.csv_file import CsvMeter
from mcugen.device.meters.ina import INA219, INA226, make_ina
from mcugen.device.meters.joulescope import JoulescopeMeter
from mcugen.device.meters.otii import OtiiMeter
from mcugen.device.meters.ppk2 import Ppk2Meter
from mcugen.device.meters.simulated import SimulatedMeter
from mcugen.errors import UsageError

NONE = "none"

METERS: Mapping[str, Callable[[MeterOptions], Meter]] = {
    "ina219": make_ina(INA219),
    "ina226": make_ina(INA226),
    "ppk2": Ppk2Meter,
    "joulescope": JoulescopeMeter,
    "otii": OtiiMeter,
    "csv": CsvMeter,
    "simulated": SimulatedMeter,
}


def split_spec(spec: str) -> tuple[str, str]:
    """(name, argument) of `--meter NAME[:ARGUMENT]`.

    Raises:
        UsageError: there is no such meter; all are listed.
    """
    name, _, argument = spec.partition(":")
    if name != NONE and name not in METERS:
        known = ", ".join((NONE, *METERS))
        raise UsageError(f"--meter must be one of {known}, got '{name}'")
    return name, argument
