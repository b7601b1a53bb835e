"""Measurements, printed beside what is wanted of them: `make bench`. Nothing here is asserted: machines are noisy."""
