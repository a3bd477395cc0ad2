"""Tournaments, without Twisted and without the store: what is to be played, and what the results say."""
