import functools
import gzip
import hashlib
import http.server
import io
import os
import tarfile
import threading

import pytest

from fmrl_ros.learning.planner import concept_net
from fmrl_ros.learning.planner.concept_net import ConceptNetError, assertions, with_uses
from fmrl_ros.learning.planner.dictionary import Entry

LINES = "".join(
    f"{thing}\t{said}\t{{'freq': {often}, 'score': {score}, 'rel': u'{how}'}}\n"
    for thing, said, often, score, how in (
        ("umbrella", "keep rain off", 5, 2, "UsedFor"),
        ("umbrella", "rain", 5, 1, "UsedFor"),
        ("umbrella", "fold up", 5, 1, "CapableOf"),
        ("umbrella", "black", 5, 1, "HasProperty"),
        ("umbrella", "keep sun off", 5, 0, "UsedFor"),  # nobody agreed
        ("umbrella", "keep wind off", 2, 1, "UsedFor"),  # it seldom is
        ("scissor", "cut paper", 5, 1, "UsedFor"),
        ("scissor", "cut 2 paper", 5, 1, "UsedFor"),
    )
)
MEMBER = "Divisi2-2.2.5/divisi2/data/graphs/conceptnet_en.graph.gz"


def test_things_get_the_uses_that_people_agree_on(tmp_path):
    file = tmp_path / "assertions.gz"
    file.write_bytes(gzip.compress(LINES.encode()))
    things = [Entry((word,), ("thing",), ()) for word in ("umbrella", "scissors", "bonsai")]
    umbrella, scissors, bonsai = with_uses(things, file, {"keep", "cut", "fold"})
    assert umbrella.uses == ("to keep rain off", "for the rain", "that can fold up")
    assert scissors.uses == ("to cut paper",)
    assert bonsai.uses == ()


def test_what_many_things_are_for_is_left_out(tmp_path):
    file = tmp_path / "assertions.gz"
    lines = "".join(f"food{i}\teat\t{{'freq': 5, 'score': 3, 'rel': u'UsedFor'}}\n" for i in range(9))
    file.write_bytes(gzip.compress(lines.encode()))
    several = with_uses([Entry((f"food{i}",), (), ()) for i in range(9)], file, {"eat"})
    assert not any(entry.uses for entry in several)


@pytest.fixture
def index(tmp_path, monkeypatch):
    """Serve a package index with a package; return the package's SHA-256."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo(MEMBER)
        member.size = len(LINES)
        archive.addfile(member, io.BytesIO(LINES.encode()))
    page = tmp_path / "simple" / "divisi2"
    page.mkdir(parents=True)
    (tmp_path / "Divisi2-2.2.5.tar.gz").write_bytes(packed.getvalue())
    (page / "index.html").write_text('<a href="../../Divisi2-2.2.5.tar.gz#sha256=0">Divisi2-2.2.5.tar.gz</a>')
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple/")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        yield hashlib.sha256(packed.getvalue()).hexdigest()
        server.shutdown()


def test_the_assertions_are_fetched_once(index, monkeypatch):
    monkeypatch.setattr(concept_net, "_SHA256", index)
    file = assertions()
    assert file.read_bytes() == LINES.encode()
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    assert assertions() == file


def test_a_user_and_a_password_of_the_index_are_sent_and_not_shown(index, monkeypatch):
    monkeypatch.setattr(concept_net, "_SHA256", index)
    monkeypatch.setenv("PIP_INDEX_URL", os.environ["PIP_INDEX_URL"].replace("//", "//alice:s3cret@"))
    assert assertions().read_bytes() == LINES.encode()


def test_another_file_than_expected_is_refused(index):
    with pytest.raises(ConceptNetError, match="sha256"):
        assertions()


def test_without_a_network_the_error_says_where_to_put_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(ConceptNetError, match=r"copy the folder .*conceptnet-4 from a machine"):
        assertions()
