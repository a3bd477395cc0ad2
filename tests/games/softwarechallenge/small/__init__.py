"""A small season, for tests of several seasons on one listener."""
