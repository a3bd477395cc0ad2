"""The rules of RoboRally: boards, cards, robots and turns, without wire, time or network. Source: roborally.md 4, 5."""
