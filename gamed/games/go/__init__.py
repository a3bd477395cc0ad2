"""Go: rules and game trees. There is no listener for Go; its games come from records.

Source: docs/reference/records.md#gofans.
"""
