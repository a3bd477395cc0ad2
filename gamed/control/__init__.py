"""The control listener: programs that run bots open the rooms of fixtures here, and learn how they end."""
