"""The process itself: its log, its files, its memory, and how long its turns may take."""
