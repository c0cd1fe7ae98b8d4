import pytest

from fmrl_ros.learning import unfinished


def test_what_was_saved_comes_back_until_it_is_removed(tmp_path):
    assert unfinished.load(tmp_path / "new folder", dict, bool) is None
    unfinished.save({"step": 4}, tmp_path / "new folder")
    assert unfinished.load(tmp_path / "new folder", dict, bool) == {"step": 4}
    unfinished.remove(tmp_path / "new folder")
    assert not list((tmp_path / "new folder").iterdir())


@pytest.mark.parametrize("left", [b"torn", [4], {}])
def test_a_torn_file_and_another_training_are_named_and_kept(tmp_path, left):
    if isinstance(left, bytes):
        (tmp_path / "unfinished.pt").write_bytes(left)
    else:
        unfinished.save(left, tmp_path)
    with pytest.raises(unfinished.UnfinishedError, match=r"delete .*unfinished\.pt to start again, or write elsewhere"):
        unfinished.load(tmp_path, dict, bool)
    assert (tmp_path / "unfinished.pt").is_file()
