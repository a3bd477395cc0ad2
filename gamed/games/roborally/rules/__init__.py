"""The rules of RoboRally: boards, cards, robots and turns, without wire, time or network.

Source: docs/specs/roborally.md#4-the-game, docs/specs/roborally.md#5-boards.
"""
