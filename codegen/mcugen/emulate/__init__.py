"""Generated C built for a board's processor and run in an emulator: no hardware, pip packages."""
