"""Go: rules and game trees. It has no listener; its games come from records.

Source: docs/reference/records.md#gofans.
"""
