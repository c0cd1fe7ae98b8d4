import pytest

from fmrl_ros.language.server_url import model_at, without_secrets


@pytest.mark.parametrize("url", ["http://localhost:8000/v1", "https://alice:s3cret@host/v1?api-key=k"])
def test_a_model_and_the_url_of_its_server(url):
    for model in ("org/model", "@cf/meta/llama", "claude@20240620"):
        assert model_at(f"{model}@{url}") == (model, url)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "m",
        "@http://host/v1",
        "m@",
        "m@localhost:8000/v1",
        "m@ftp://host/v1",
        "m@http://",
        "m@http://localhost:80x/v1",
    ],
)
def test_a_name_without_model_or_url_is_an_error(name):
    with pytest.raises(ValueError, match="http://localhost:8000/v1"):
        model_at(name)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("openai:m@http://alice:s3cret@host:1/v1?api-key=k", "openai:m@http://host:1/v1"),
        ("openai:m@https://u:p@host/v1|local:smollm2", "openai:m@https://host/v1|local:smollm2"),
        ("openai:m@ftp://alice:s3cret@host/v1", "openai:m@ftp://host/v1"),
        ("openai:m@http://u:secret@host/v1?next=http://x", "openai:m@http://host/v1"),
        ("openai:m@http://u:secret@host/v1#http://x@y", "openai:m@http://host/v1"),
        ("openai:m@http://u:se?cret@host/v1", "openai:m@http://host/v1"),
        ("openai:m@http://host/v1?user=a@b.com", "openai:m@http://host/v1"),
        ("local:/home/a@b@c/model", "local:/home/a@b@c/model"),
        ("openai:@cf/meta/llama@https://u:p@host/v1", "openai:@cf/meta/llama@https://host/v1"),
        ("openai:claude@20240620@http://u:p@host/v1", "openai:claude@20240620@http://host/v1"),
        ("openai:m@http://u:secret@host/v1?next=@http://x", "openai:m@http://host/v1"),
        ("openai:m@u:secret@host/v1?next=@http://x", "openai:m@host/v1"),
        ("openai:m@alice:s3cret@host:8000/v1", "openai:m@host:8000/v1"),
        ("openai:m@http://alice:s3/cret@host", "openai:m@http://host"),
        ("local:smollm2+planner-kitchen", "local:smollm2+planner-kitchen"),
    ],
)
def test_passwords_and_queries_are_not_shown(name, shown):
    assert without_secrets(name) == shown
