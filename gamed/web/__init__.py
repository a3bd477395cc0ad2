"""The web listener: the pages for browsers, their API, metrics and health checks."""
