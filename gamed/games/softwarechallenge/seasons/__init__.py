"""The seasons of the Software-Challenge: different games with the same lobby messages."""
