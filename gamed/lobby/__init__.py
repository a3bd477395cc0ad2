"""The room service behind all listeners: rooms, who waits for whom, and what becomes of a finished game."""
