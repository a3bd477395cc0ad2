"""The season 2020: Hive. Source: docs/specs/software-challenge.md."""
