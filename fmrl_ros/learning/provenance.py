"""``sources.yaml`` beside a model: what made its files, from which sources, and under which licences."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

FILE = "sources.yaml"

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Spdx = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9.+-]+(?: (?:AND|OR|WITH) [A-Za-z0-9.+-]+)*$")]
"""An SPDX licence expression without brackets; a licence that SPDX does not list is ``LicenseRef-NAME``."""


class SourcesError(ValueError):
    """A ``sources.yaml`` that is missing or wrong; the message names the model, the entry and what is valid there."""


class Source(BaseModel):
    """One source that a model learned from, or was made with.

    Attributes:
      name: What it is called, with its version.
      what: What it is.
      licence: Its licence.
      origin: Where it came from: package, repository, or file of this project.
      taken: What the model took of it.
      synthetic: True for text, pictures or episodes that were made for this project.
      checked: Of synthetic data: how it was checked.
      kept_from: Of synthetic data: which splits it was kept from, and how.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Words
    what: Words
    licence: Spdx
    origin: Words
    taken: Words
    synthetic: bool = False
    checked: Words | None = None
    kept_from: Words | None = None

    @model_validator(mode="after")
    def _synthetic_data_is_checked(self) -> Source:
        if self.synthetic and (self.checked is None or self.kept_from is None):
            raise ValueError(f"'{self.name}' is synthetic: say how it was checked and which splits it was kept_from")
        return self


class Provenance(BaseModel):
    """Where a model's files come from.

    Attributes:
      licence: The licence that the model is offered under.
      made_by: What made its files, where that was not one run of the command for such a model.
      sources: What it was made from, at least one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    licence: Spdx
    made_by: Words | None = None
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]


def load(folder: Path) -> Provenance:
    """Return what a model's ``sources.yaml`` says.

    Args:
      folder: The model's folder.

    Raises:
      SourcesError: If the file is missing, cannot be read, or an entry is wrong.
    """
    place = f"{folder.name}/{FILE}"
    try:
        content = yaml.safe_load((folder / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        keys = ", ".join(Provenance.model_fields)
        raise SourcesError(f"{place} is missing: write where the model comes from; valid keys: {keys}") from error
    except (OSError, yaml.YAMLError) as error:
        raise SourcesError(f"{place} cannot be read: {error}") from error
    try:
        return Provenance.model_validate(content)
    except ValidationError as error:
        raise SourcesError(f"{place}: {_first_problem(error)}") from error


def _first_problem(error: ValidationError) -> str:
    first = error.errors()[0]
    valid: dict[str, Any] = (Source if "sources" in first["loc"][:-1] else Provenance).model_fields
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg']}; valid keys: {', '.join(valid)}"


def as_markdown(stated: Provenance) -> str:
    """Return the sources as the section of a model's card, without its heading."""
    return f"This section is written from `{FILE}`.\n\n" + "\n".join(map(_item, stated.sources)) + "\n"


def _item(source: Source) -> str:
    kind = ", synthetic" if source.synthetic else ""
    fields = {"From": source.origin, "Taken": source.taken, "Checked": source.checked, "Kept from": source.kept_from}
    said = " ".join(f"{name}: {_sentence(text)}" for name, text in fields.items() if text is not None)
    line = f"- **{source.name}** (`{source.licence}`{kind}): {_sentence(source.what)} {said}"
    return textwrap.fill(line, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
