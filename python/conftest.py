"""The programs that tests start read nobody's settings."""

import os

os.environ["POLYRHYTHM_SETTINGS"] = "off"
