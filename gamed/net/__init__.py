"""What touches the network: sessions, listeners, limits."""
