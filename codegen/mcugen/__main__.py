"""`python -m mcugen`."""

from mcugen.cli import main

main()
