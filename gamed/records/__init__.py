"""Records of games: the BGoV family of formats. Source: records.md."""
