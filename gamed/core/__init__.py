"""The pure core: what the shell, the games and the wire share. No network, no time, no randomness."""
