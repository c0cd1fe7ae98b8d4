from fmrl_ros import unfinished


def test_what_was_saved_comes_back_until_it_is_removed(tmp_path):
    unfinished.save({"step": 4}, tmp_path / "new folder")
    assert unfinished.load(tmp_path / "new folder", dict) == {"step": 4}
    unfinished.remove(tmp_path / "new folder")
    assert not list((tmp_path / "new folder").iterdir())


def test_nothing_a_torn_file_and_another_kind_of_training_are_no_beginning(tmp_path):
    assert unfinished.load(tmp_path, dict) is None
    (tmp_path / "unfinished.pt").write_bytes(b"torn")
    assert unfinished.load(tmp_path, dict) is None
    unfinished.save([4], tmp_path)
    assert unfinished.load(tmp_path, dict) is None
