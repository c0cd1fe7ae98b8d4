import pytest

from fmrl_ros.recording.whole_file import part_of, whole_file


def test_a_file_has_its_name_when_it_is_whole(tmp_path):
    path = tmp_path / "video.mp4"
    with whole_file(path) as part:
        assert part == part_of(path) == tmp_path / "video.part.mp4"
        part.write_text("all of it")
        assert not path.exists()
    assert path.read_text() == "all of it" and not part.exists()


def test_what_fails_leaves_no_file_and_an_older_one_as_it_is(tmp_path):
    path = tmp_path / "result.json"
    path.write_text("older")
    with pytest.raises(OSError, match="full"), whole_file(path) as part:
        part.write_text("half")
        raise OSError("the disk is full")
    assert [file.name for file in tmp_path.iterdir()] == ["result.json"] and path.read_text() == "older"
