"""The bill of materials of a wheel, as CycloneDX 1.6: what it contains, in which version, under which licence.

The wheel itself says so in LICENSES, which build.py fills with what the linker and Go took. Hashes are those of the pins.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
import zipfile
from pathlib import Path

from build import ROOT

LICENCES = "polyrhythm/LICENSES/"

# Words of licences, after runs of white space have become blanks.
WORDS = [
    ("Apache-2.0", "apache license version 2.0"),
    ("MPL-2.0", "mozilla public license version 2.0"),
    ("Zlib", "this software is provided 'as-is', without any express or implied warranty"),
    ("BSD-3-Clause", "neither the name of"),
    ("BSD-3-Clause", "names of its contributors may be used to endorse"),
    ("BSD-2-Clause", "redistributions in binary form must reproduce"),
    ("ISC", "permission to use, copy, modify, and/or distribute this software for any purpose"),
    ("ISC", "permission to use, copy, modify, and distribute this software for any purpose"),
    ("MIT", "permission is hereby granted, free of charge"),
    ("Unlicense", "this is free and unencumbered software"),
]


LONGER = {"BSD-2-Clause": "BSD-3-Clause"}  # licences that have the words of others, too


def materials(wheel: Path) -> dict:
    """The bill of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        table = archive.read(f"{LICENCES}README.md").decode()
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[4:]]
        components = [component(archive, *row) for row in rows]
    own = next(c for c in components if c["name"] == "polyrhythm")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}",  # of the file, so that it is the same again
        "version": 1,
        "metadata": {"component": {**own, "hashes": [{"alg": "SHA-256", "content": digest}],
            "properties": [{"name": "file", "value": wheel.name}]}},
        "components": [c for c in components if c is not own],
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": [c["bom-ref"] for c in components if c is not own]}],
    }  # fmt: skip


def component(archive: zipfile.ZipFile, name: str, version: str, what: str, files: str) -> dict:
    """A component of a row of the table."""
    folder = f"{LICENCES}{name.replace('/', '_')}-{version}/"
    texts = {file: archive.read(folder + file).decode(errors="replace") for file in files.split(", ")}
    found = sorted({licence for text in texts.values() for licence in licences_in(text)})
    licences = [{"license": {"id": licence}} for licence in found]
    if not found or "copyright" in texts:  # Debian's file has those of all files of the source
        licences = [{"license": {"name": f"see {folder}{file}"}} for file in texts]
    kind, purl = identity(name, version, what)
    made = {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl, "description": what,
        "licenses": licences}  # fmt: skip
    if hashes := pinned(name, version):
        made["properties"] = [{"name": key, "value": value} for key, value in hashes]
    return made


def licences_in(text: str) -> list[str]:
    """SPDX's name of the licence that a text is."""
    plain = re.sub(r"\s+", " ", text.lower().replace("‘", "'").replace("’", "'"))
    plain = plain.replace("apache license, version 2.0", "apache license version 2.0")
    found = {name for name, words in WORDS if words in plain}
    return sorted(name for name in found if LONGER.get(name) not in found)


def identity(name: str, version: str, what: str) -> tuple[str, str]:
    """The kind of a component, and its package URL."""
    if name == "polyrhythm":
        return "application", f"pkg:pypi/polyrhythm@{version}"
    if match := re.search(r"of Debian's (\S+)", what):
        return "library", f"pkg:deb/debian/{match[1]}@{version}"
    if name in ("mujoco", "gymnasium"):
        return "library", f"pkg:pypi/{'mujoco-core' if name == 'mujoco' else name}@{version}"
    if name == "go":
        return "library", f"pkg:golang/std@{version}"
    if name == "page":
        return "library", f"pkg:generic/polyrhythm-page@{version}"
    return "library", f"pkg:golang/{name}@{version}"


def pinned(name: str, version: str) -> list[tuple[str, str]]:
    """What the pins say of the bytes of a component."""
    pin = ROOT / "third_party" / f"{name}.txt"
    if "/" not in name and pin.is_file():
        return [("pin:sha256", found) for found in re.findall(r"--hash=sha256:([0-9a-f]{64})", pin.read_text())]
    sums = re.search(rf"^{re.escape(name)} {re.escape(version)} (h1:\S+)$", (ROOT / "go.sum").read_text(), re.MULTILINE)
    if name == "page":
        bundle = json.loads((ROOT / "live" / "page" / "internal" / "bundle" / "package.json").read_text())
        return sorted((f"npm:{library}", number) for library, number in bundle["dependencies"].items())
    return [("go.sum", sums[1])] if sums else []
