"""Every committed artefact is listed, whole, carries a card and its sources, and is small enough to ship."""

import pytest
import yaml

from fmrl_ros import __version__
from fmrl_ros.assets import share
from fmrl_ros.learning import manifest, provenance

SOURCES = """
licence: Apache-2.0
sources:
  - {name: a dictionary, what: words, licence: MIT, origin: a package, taken: the nouns}
"""


def committed():
    return sorted(folder for folder in share("models").iterdir() if folder.is_dir())


def test_the_committed_artefacts_match_their_manifest_their_cards_and_their_sources():
    assert manifest.check(share("models")) == []


@pytest.mark.parametrize("folder", committed(), ids=lambda folder: folder.name)
def test_every_committed_artefact_has_a_card_with_seed_command_licence_and_sources(folder):
    card = " ".join((folder / "README.md").read_text(encoding="utf-8").split())
    assert manifest.command(folder.name).split(" --")[0] in card
    assert "seed" in card.lower()
    stated = provenance.load(folder)
    assert stated.licence in card
    for source in stated.sources:
        assert source.name in card and f"`{source.licence}`" in card


@pytest.fixture
def models(tmp_path):
    folder = tmp_path / "skill-pick"
    folder.mkdir()
    (folder / "README.md").write_text("# card\n\n## Sources\n\nnone yet\n\n## Results\n\nall well\n")
    (folder / "policy.npz").write_bytes(b"weights")
    (folder / "sources.yaml").write_text(SOURCES)
    manifest.write(tmp_path)
    return tmp_path


def entry(models):
    return yaml.safe_load((models / manifest.FILE).read_text())["skill-pick"]


def test_a_fresh_manifest_has_nothing_to_complain_of(models):
    assert manifest.check(models) == []


def test_the_version_is_the_cards_own_if_it_has_one(models):
    assert entry(models)["version"] == __version__
    (models / "skill-pick" / "README.md").write_text("---\nname: skill-pick\nversion: 2.3.4\n---\n# card\n")
    manifest.write(models)
    assert entry(models)["version"] == "2.3.4"


def test_files_that_have_not_changed_keep_their_version(models, monkeypatch):
    monkeypatch.setattr(manifest, "__version__", "9.0.0")
    manifest.write(models)
    assert entry(models)["version"] == __version__
    (models / "skill-pick" / "policy.npz").write_bytes(b"other weights")
    manifest.write(models)
    assert entry(models)["version"] == "9.0.0"


def test_licence_maker_and_sources_are_those_of_sources_yaml(models):
    assert entry(models)["made_by"] == "fmrl train skill pick"
    assert entry(models)["sources"] == [
        {"name": "a dictionary", "what": "words", "licence": "MIT", "origin": "a package", "taken": "the nouns"}
    ]
    (models / "skill-pick" / "sources.yaml").write_text(f"made_by: two trainings, by hand{SOURCES}")
    assert "the manifest does not say what sources.yaml says" in manifest.check(models)[0]
    manifest.write(models)
    assert entry(models)["made_by"] == "two trainings, by hand"
    assert manifest.check(models) == []


def test_the_card_names_the_sources_between_its_other_sections(models):
    card = models / "skill-pick" / "README.md"
    before = card.read_text()
    assert "- **a dictionary** (`MIT`): words. From: a package. Taken: the nouns.\n\n## Results\n\nall well\n" in before
    assert "none yet" not in before
    manifest.write(models)
    assert card.read_text() == before
    card.write_text("# card\n")
    assert "does not name the sources" in manifest.check(models)[0]
    manifest.write(models)
    assert manifest.check(models) == []


def test_a_model_without_sources_is_listed_and_complained_of(models):
    (models / "skill-pick" / "sources.yaml").unlink()
    manifest.write(models)
    assert entry(models)["sources"] == []
    assert "skill-pick/sources.yaml is missing" in manifest.check(models)[0]


def test_a_damaged_file_is_named_with_the_command_that_makes_it_again(models):
    (models / "skill-pick" / "policy.npz").write_bytes(b"damaged")
    [problem] = manifest.check(models)
    assert "skill-pick/policy.npz differs" in problem
    assert "fmrl train skill pick" in problem


def test_a_missing_file_a_missing_card_and_an_unlisted_folder_are_named(models):
    (models / "skill-pick" / "policy.npz").unlink()
    (models / "skill-pick" / "README.md").unlink()
    (models / "skill-wave").mkdir()
    assert [p.split(";")[0] for p in manifest.check(models)] == [
        "skill-pick/policy.npz is missing",
        "skill-pick/README.md, its card, is missing",
        "skill-wave is not in the manifest",
    ]
