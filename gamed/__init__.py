"""gamed: one daemon for the wire protocols that game programs already speak."""

__version__ = "0.1.0"
