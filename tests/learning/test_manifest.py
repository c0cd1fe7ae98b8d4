"""Every committed artefact is listed, whole, carries a card, and small enough to ship."""

import pytest
import yaml

from fmrl_ros import __version__
from fmrl_ros.assets import share
from fmrl_ros.learning import manifest


def test_the_committed_artefacts_match_their_manifest():
    assert manifest.check(share("models")) == []


def test_every_committed_artefact_has_a_card_with_seed_command_and_licence():
    for folder in share("models").iterdir():
        if folder.is_dir():
            card = (folder / "README.md").read_text(encoding="utf-8")
            assert manifest.command(folder.name).split(" --")[0] in card, folder.name
            assert "Apache-2.0" in card, folder.name
            assert "seed" in card.lower(), folder.name


@pytest.fixture
def models(tmp_path):
    folder = tmp_path / "skill-pick"
    folder.mkdir()
    (folder / "README.md").write_text("card")
    (folder / "policy.npz").write_bytes(b"weights")
    manifest.write(tmp_path)
    return tmp_path


def test_a_fresh_manifest_has_nothing_to_complain_of(models):
    assert manifest.check(models) == []


def test_the_version_is_the_cards_own_if_it_has_one(models):
    assert yaml.safe_load((models / manifest.FILE).read_text())["skill-pick"]["version"] == __version__
    (models / "skill-pick" / "README.md").write_text("---\nname: skill-pick\nversion: 2.3.4\n---\n# card\n")
    assert yaml.safe_load(manifest.write(models).read_text())["skill-pick"]["version"] == "2.3.4"


def test_a_damaged_file_is_named_with_the_command_that_makes_it_again(models):
    (models / "skill-pick" / "policy.npz").write_bytes(b"damaged")
    [problem] = manifest.check(models)
    assert "skill-pick/policy.npz differs" in problem
    assert "fmrl train skill pick" in problem


def test_a_missing_file_and_an_unlisted_folder_are_named(models):
    (models / "skill-pick" / "policy.npz").unlink()
    (models / "skill-wave").mkdir()
    assert [p.split(";")[0] for p in manifest.check(models)] == [
        "skill-pick/policy.npz is missing",
        "skill-wave is not in the manifest",
    ]
