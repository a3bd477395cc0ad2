"""Season 2020: Hive. Source: software-challenge.md part C."""
