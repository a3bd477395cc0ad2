"""Administration by console and browser: accounts, operators, and their actions on rooms."""
