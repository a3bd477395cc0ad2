"""Clients run as programs: a game's own sans-I/O player on a transport."""
