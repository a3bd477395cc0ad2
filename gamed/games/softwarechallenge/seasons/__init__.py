"""The seasons of the Software-Challenge: each is a game of its own behind the same lobby messages."""
