"""The console: commands on a house with games, and what telnet does with bytes."""
