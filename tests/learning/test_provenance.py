"""A model says where it comes from, completely, or an error says what is missing."""

import pytest

from fmrl_ros.learning.provenance import SourcesError, as_markdown, load

SOURCE = {"name": "a dictionary", "what": "words", "licence": "MIT", "origin": "a package", "taken": "the nouns"}


def written(folder, text):
    (folder / "sources.yaml").write_text(text)
    return folder


def listed(**changed):
    fields = {**SOURCE, **changed}
    return "licence: Apache-2.0\nsources:\n  - " + "\n    ".join(f"{key}: {value}" for key, value in fields.items())


@pytest.mark.parametrize("licence", ["MIT", "GPL-3.0-only AND CC-BY-SA-4.0", "LicenseRef-WordNet-3.0"])
def test_a_licence_is_an_spdx_expression(tmp_path, licence):
    (source,) = load(written(tmp_path, listed(licence=licence))).sources
    assert source.licence == licence


@pytest.mark.parametrize(
    "text, named",
    [
        ("licence: Apache-2.0\nsources: []", "sources: .*valid keys: licence, made_by, sources"),
        ("licence: Apache-2.0", "sources: Field required"),
        ("- a list", "valid keys: licence, made_by, sources"),
        (listed(licence="free for all uses"), r"sources\.0\.licence: .*valid keys: name, what"),
        (listed(licence="''"), r"sources\.0\.licence"),
        (listed(author="somebody"), r"sources\.0\.author: Extra inputs are not permitted"),
        (listed(taken="' '"), r"sources\.0\.taken"),
        (listed(synthetic="true"), r"sources\.0: .*'a dictionary' is synthetic: say how it was checked"),
        (listed(synthetic="true", checked="by a test"), "which splits it was kept_from"),
        ("licence: [", "cannot be read"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_valid(tmp_path, text, named):
    with pytest.raises(SourcesError, match=rf"^{tmp_path.name}/sources.yaml:? (?s:.*){named}"):
        load(written(tmp_path, text))


def test_a_missing_file_is_an_error_that_names_the_model(tmp_path):
    with pytest.raises(SourcesError, match=f"{tmp_path.name}/sources.yaml is missing"):
        load(tmp_path)


def test_synthetic_data_is_called_so_in_the_card(tmp_path):
    text = listed(synthetic="true", checked="by a test", kept_from="the test split")
    said = as_markdown(load(written(tmp_path, text)))
    assert "**a dictionary** (`MIT`, synthetic)" in said
    assert "Checked: by a test. Kept from: the test split." in said.replace("\n  ", " ")
