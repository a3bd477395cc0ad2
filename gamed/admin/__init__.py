"""Administration, whatever the way in: accounts, who is logged in, and what they do with rooms."""
