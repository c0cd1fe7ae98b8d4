"""``models/manifest.yaml``: every trained artefact with version, hash, licence and the command that makes it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import yaml

from fmrl_ros import __version__

FILE = "manifest.yaml"
LICENCE = "Apache-2.0"


def command(artefact: str) -> str:
    """Return the command that makes an artefact, from its folder: ``skill-pick``, ``planner-kitchen``."""
    if artefact in ("localiser", "success-detector"):
        return f"fmrl train {artefact}"
    kind, _, name = artefact.partition("-")
    if kind == "skill":
        return f"fmrl train skill {name}"
    return f"fmrl train {kind}" + (f" --world {name}" if name != "tabletop" else "")


def write(models: Path) -> Path:
    """List every artefact folder below `models` (a folder with a README.md, its card) and return the manifest."""
    entries = {
        folder.name: {
            "version": _version(folder / "README.md"),
            "licence": LICENCE,
            "made_by": command(folder.name),
            "files": {str(file.relative_to(folder)): _sha256(file) for file in _files(folder)},
        }
        for folder in sorted(models.iterdir())
        if (folder / "README.md").exists()
    }
    path = models / FILE
    path.write_text(yaml.safe_dump(entries, sort_keys=True), encoding="utf-8")
    return path


def check(models: Path) -> list[str]:
    """Return what is wrong with the artefacts below `models`, one sentence each; empty if nothing is."""
    path = models / FILE
    if not path.exists():
        return [f"{path} is missing; reinstall fmrl_ros"]
    entries = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    problems = []
    for name, entry in entries.items():
        for file, digest in entry["files"].items():
            found = models / name / file
            if not found.exists():
                problems.append(f"{name}/{file} is missing; make it with: {entry['made_by']}")
            elif _sha256(found) != digest:
                problems.append(f"{name}/{file} differs from the manifest; make it with: {entry['made_by']}")
    listed = set(entries)
    for folder in sorted(p for p in models.iterdir() if p.is_dir()):
        if folder.name not in listed:
            problems.append(f"{folder.name} is not in the manifest; remove it or make it with: {command(folder.name)}")
    return problems


def _version(card: Path) -> str:
    """Return the version that a card states in its front matter, else that of the package."""
    text = card.read_text(encoding="utf-8")
    stated = yaml.safe_load(text.split("---\n", 2)[1]) if text.startswith("---\n") else {}
    return str(stated.get("version", __version__))


def _files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix != ".md" and "__pycache__" not in p.parts)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
