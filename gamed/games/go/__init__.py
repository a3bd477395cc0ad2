"""Go: rules, game trees, and their formats GoFans and SGF. There is no listener; games come from records.

Source: docs/reference/records.md#gofans.
"""
