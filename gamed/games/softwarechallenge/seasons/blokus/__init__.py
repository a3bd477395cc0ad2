"""The season 2027: Blokus. Source: docs/reference/blokus.md."""
