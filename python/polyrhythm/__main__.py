"""`python -m polyrhythm demo` is `train demo`, and likewise for each other command; without one it shows the help."""

from polyrhythm._programs import help_or_train

if __name__ == "__main__":
    help_or_train()
