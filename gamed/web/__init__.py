"""The web listener: metrics, health, and the pages of the browser."""
