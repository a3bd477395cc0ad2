"""Records of games: the BGoV family of formats. Source: docs/reference/records.md."""
