"""Stands in for a flashing tool: says what it would write and where, in esptool's form."""

import sys
from pathlib import Path

port, firmware = sys.argv[1], Path(sys.argv[2])
print(f"Serial port {port}")
print("Connecting....")
for percent in (25, 50, 75, 100):
    print(f"Writing at 0x00010000... ({percent} %)", end="\r", flush=True)
print(f"Wrote {firmware.stat().st_size} bytes (simulated)")
