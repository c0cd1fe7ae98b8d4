"""``models/manifest.yaml``: every trained model with version, licence, origin, sources and the hashes of its files."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import yaml

from fmrl_ros import __version__
from fmrl_ros.assets import share
from fmrl_ros.learning import provenance

FILE = "manifest.yaml"
CARD = "README.md"
LICENCE = "Apache-2.0"
"""Of a model that was just trained, until its ``sources.yaml`` says which."""
_SECTION = "\n## Sources\n"
_WRITE = "write both anew with: python -m fmrl_ros.learning.manifest"


def command(artefact: str) -> str:
    """Return the command that makes an artefact, from its folder: ``skill-pick``, ``planner-kitchen``."""
    if artefact in ("localiser", "success-detector"):
        return f"fmrl train {artefact}"
    kind, _, name = artefact.partition("-")
    if kind == "skill":
        return f"fmrl train skill {name}"
    return f"fmrl train {kind}" + (f" --world {name}" if name != "tabletop" else "")


def write(models: Path) -> Path:
    """List every artefact folder below `models` (a folder with a README.md, its card) and return the manifest.

    Licence, sources and what made the files are those of the folder's ``sources.yaml``, which also goes into the card's
    section "Sources". A folder without one is listed without sources, which `check` reports.

    Raises:
      SourcesError: If a ``sources.yaml`` is wrong.
    """
    before = _listed(models)
    folders = [folder for folder in sorted(models.iterdir()) if (folder / CARD).exists()]
    entries = {folder.name: _entry(folder, before.get(folder.name, {})) for folder in folders}
    for folder in folders:
        if (folder / provenance.FILE).exists():
            _write_sources(folder)
    path = models / FILE
    text = yaml.safe_dump(entries, sort_keys=False, allow_unicode=True, width=120)
    path.write_text(text, encoding="utf-8")
    return path


def check(models: Path) -> list[str]:
    """Return what is wrong with the artefacts below `models`, one sentence each; empty if nothing is."""
    if not (models / FILE).exists():
        return [f"{models / FILE} is missing; reinstall fmrl_ros"]
    entries = _listed(models)
    problems = [problem for name, entry in entries.items() for problem in _problems(models / name, entry)]
    for folder in sorted(p for p in models.iterdir() if p.is_dir()):
        if folder.name not in entries:
            problems.append(f"{folder.name} is not in the manifest; remove it or make it with: {command(folder.name)}")
    return problems


def _listed(models: Path) -> dict[str, Any]:
    path = models / FILE
    return (yaml.safe_load(path.read_text(encoding="utf-8")) or {}) if path.exists() else {}


def _entry(folder: Path, before: dict[str, Any]) -> dict[str, Any]:
    """Return a folder's entry; `before` is the one that the manifest has had for it."""
    files = {str(file.relative_to(folder)): _sha256(file) for file in _files(folder)}
    kept = before.get("version") if files == before.get("files") else None
    version = _stated_version(folder / CARD) or kept or __version__
    return {"version": version, **_origin(folder), "files": files}


def _origin(folder: Path) -> dict[str, Any]:
    """Return licence, maker and sources as a folder's ``sources.yaml`` has them."""
    if not (folder / provenance.FILE).exists():
        return {"licence": LICENCE, "made_by": command(folder.name), "sources": []}
    stated = provenance.load(folder)
    sources = [source.model_dump(exclude_none=True, exclude_defaults=True) for source in stated.sources]
    return {"licence": stated.licence, "made_by": stated.made_by or command(folder.name), "sources": sources}


def _write_sources(folder: Path) -> None:
    """Put the sources into a card, in place of those that it has, else at its end."""
    card = folder / CARD
    text = card.read_text(encoding="utf-8")
    head, _, rest = (text if _SECTION in text else f"{text.rstrip()}\n{_SECTION}").partition(_SECTION)
    _, heading, after = rest.partition("\n## ")
    section = provenance.as_markdown(provenance.load(folder))
    card.write_text(f"{head}{_SECTION}\n{section}{heading}{after}", encoding="utf-8")


def _problems(folder: Path, entry: dict[str, Any]) -> list[str]:
    """Return what is wrong with one artefact: its files, its card, its sources."""
    problems, remedy = [], f"make it with: {command(folder.name)}"
    for file, digest in entry["files"].items():
        if not (folder / file).exists():
            problems.append(f"{folder.name}/{file} is missing; {remedy}")
        elif _sha256(folder / file) != digest:
            problems.append(f"{folder.name}/{file} differs from the manifest; {remedy}")
    if not folder.is_dir():
        return problems
    if not (folder / CARD).exists():
        problems.append(f"{folder.name}/{CARD}, its card, is missing; {remedy}")
    return [*problems, *_problems_of_origin(folder, entry)]


def _problems_of_origin(folder: Path, entry: dict[str, Any]) -> list[str]:
    try:
        stated = provenance.load(folder)
    except provenance.SourcesError as error:
        return [str(error)]
    card = folder / CARD
    if card.exists() and provenance.as_markdown(stated) not in card.read_text(encoding="utf-8"):
        return [f"{folder.name}/{CARD} does not name the sources of {provenance.FILE}; {_WRITE}"]
    if any(entry.get(key) != value for key, value in _origin(folder).items()):
        return [f"{folder.name}: the manifest does not say what {provenance.FILE} says; {_WRITE}"]
    return []


def _stated_version(card: Path) -> str | None:
    """Return the version that a card states in its front matter."""
    text = card.read_text(encoding="utf-8")
    front = yaml.safe_load(text.split("---\n", 2)[1]) if text.startswith("---\n") else {}
    return str(front["version"]) if "version" in front else None


def _files(folder: Path) -> list[Path]:
    """Return the files that a training made: all but the card and the sources."""
    return sorted(
        p
        for p in folder.rglob("*")
        if p.is_file() and p.suffix != ".md" and p.name != provenance.FILE and "__pycache__" not in p.parts
    )


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    print(write(share("models")))
