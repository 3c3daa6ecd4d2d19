"""Meters of current and voltage behind one interface; one file each."""
