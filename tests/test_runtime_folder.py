import os

from fmrl_ros.runtime_folder import runtime_folder


def test_it_is_the_one_of_the_session_or_one_of_this_user_s_own(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert runtime_folder() == tmp_path / "fmrl_ros"
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert runtime_folder().name == f"fmrl_ros-{os.getuid()}"
