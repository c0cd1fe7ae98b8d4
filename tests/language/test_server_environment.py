import os
import subprocess
import sys
from importlib.util import find_spec

import openai
import pytest

from fmrl_ros.language.openai_server import OpenAILanguageModel
from fmrl_ros.language.server_environment import check_environment
from fmrl_ros.language.server_url import model_at
from fmrl_ros.perception.backends.backend import BackendError, load_backend
from fmrl_ros.worlds.world import load_world

NAME = "m@http://127.0.0.1:9/v1"
BROKEN = [
    ({"SSL_CERT_FILE": "/nowhere/certificates.pem"}, "SSL_CERT_FILE=/nowhere/certificates.pem cannot be read"),
    ({"SSL_CERT_FILE": __file__}, "cannot be read"),
    ({"ALL_PROXY": "ftp://alice:s3cret@127.0.0.1:1080"}, "ALL_PROXY=ftp://127.0.0.1:1080 is no proxy"),
    ({"https_proxy": "ftp://127.0.0.1:1080"}, "https_proxy=ftp"),
]
if find_spec("socksio") is None:
    BROKEN.append(({"ALL_PROXY": "socks5://127.0.0.1:1080"}, "pip install socksio, or unset ALL_PROXY"))
WORKING = [{}, {"ALL_PROXY": "http://127.0.0.1:1080"}, {"HTTP_PROXY": "proxy:80"}]
WORKING += [{"ALL_PROXY": "ftp://127.0.0.1:1", "NO_PROXY": "*"}, {"SSL_CERT_FILE": ""}]


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    for name in [name for name in os.environ if name.lower().endswith("_proxy") or name == "SSL_CERT_FILE"]:
        monkeypatch.delenv(name)


def use(monkeypatch, variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(("variables", "said"), BROKEN)
def test_a_variable_that_lets_no_server_be_asked_is_named_with_the_next_step(monkeypatch, variables, said):
    use(monkeypatch, variables)
    for ask in (check_environment, lambda: model_at(NAME), lambda: OpenAILanguageModel("m")):
        with pytest.raises(ValueError, match=said) as error:
            ask()
        assert "unset" in str(error.value) and "s3cret" not in str(error.value) and "\n" not in str(error.value)
    with pytest.raises(BackendError, match=said):
        load_backend(f"openai:{NAME}", load_world("tabletop"))


@pytest.mark.parametrize(("variables", "said"), BROKEN)
def test_what_is_refused_is_what_the_http_library_cannot_use(monkeypatch, variables, said):
    use(monkeypatch, variables)
    with pytest.raises((ImportError, OSError, ValueError)):
        openai.DefaultHttpxClient()


@pytest.mark.parametrize("variables", WORKING)
def test_variables_that_the_http_library_can_use_are_accepted(monkeypatch, variables):
    use(monkeypatch, variables)
    check_environment()
    openai.DefaultHttpxClient().close()


@pytest.mark.parametrize(("variables", "said"), BROKEN[:1] + BROKEN[-1:])
def test_a_command_ends_with_one_line_that_names_the_variable(tmp_path, variables, said):
    command = [sys.executable, "-m", "fmrl_ros.cli.main", "plan", "--llm", f"openai:{NAME}"]
    command += ["--tasks", str(tmp_path / "tasks.jsonl"), "--out", str(tmp_path / "plans.jsonl")]
    run = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, timeout=120)
    assert run.returncode == 2 and said in run.stderr
    assert run.stderr.count("\n") == 1 and "Traceback" not in run.stderr
