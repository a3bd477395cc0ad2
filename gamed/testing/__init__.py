"""Public helpers for tests of games, dialects and rooms."""
