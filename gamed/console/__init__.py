"""The operator's console: one table of commands over all games, by telnet and by SSH."""
