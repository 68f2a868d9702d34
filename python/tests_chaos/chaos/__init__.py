"""The parts of chaos.py: what is run, what disturbs it, and what is checked."""
