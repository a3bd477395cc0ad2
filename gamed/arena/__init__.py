"""The arena: it runs bots as processes of this machine, and has a daemon referee their games."""
