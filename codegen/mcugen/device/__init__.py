"""What happens on a board: PlatformIO, the serial protocol, meters, measurements."""
