"""The checks of `gamed doctor`, some of which the daemon makes at its start."""
