"""Go: rules and game trees. It has no listener; its games come from records. Source: records.md 4."""
