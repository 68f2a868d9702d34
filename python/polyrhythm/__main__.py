"""`python -m polyrhythm demo` is `train demo`, and likewise for each other command."""

from polyrhythm._programs import train

if __name__ == "__main__":
    train()
