"""Secrets are not recorded, and other values are."""

import pytest

from summaries.environment.redaction import clean_command_line, clean_value

SECRET = "hunter2"

SECRETS = [
    ["--password", SECRET],
    ["--password=hunter2"],
    ["--PASSWORD", SECRET],
    ["--pass-word", SECRET],
    ["--dbPassword=hunter2"],
    ["--mypasswd", SECRET],
    ["--apiKEY", SECRET],
    ["--api-key", SECRET],
    ["--githubToken", SECRET],
    ["--hf_token", SECRET],
    ["--token", "-hunter2"],
    ["--key", SECRET],
    ["--login", SECRET],
    ["--credentials", SECRET, SECRET, "--lr", "0.1"],
    ["--keys", SECRET, SECRET],
    ["--password", "1234 hunter2"],
    ["login", "password", SECRET],
    ["DB_PASSWORD=hunter2"],
    ["++wandb.api_key=hunter2"],
    ["--env", "WANDB_API_KEY=hunter2"],
    ["-e", "TOKEN=hunter2"],
    ["--header", "Authorization: Bearer hunter2"],
    ["--header=X-Auth-Token: hunter2"],
    ["Cookie: session=hunter2"],
    ["--config", '{"db": {"password": "hunter2", "lr": 0.1}}'],
    ["--config", '{\\"password\\": \\"hunter2\\"}'],
    ["--json={'apiKey':'hunter2'}"],
    ["{password:hunter2}"],
    ["--opts", "lr=0.1 password=hunter2 x=3"],
    ["--opts=lr=0.1,secret=hunter2"],
    ["--opts", "password: 'hunter2 hunter2'"],
    ["--dsn", "Server=x;User Id=me;Password=hunter2;"],
    ["-c", "import os; os.environ['AWS_SECRET_ACCESS_KEY'] = 'hunter2'; train(lr=0.1)"],
    ["the secret hunter2hunter2"],
    ["https://user:hunter2@host/path"],
    ["--url=postgres://u:hun/t@er:hunter2@host:5/db"],
    ["--proxy", "http://user:p@hunter2@host:80"],
    ["git+https://hunter2hunter2@github.com/x"],
    ["https://hunter2:x-oauth-basic@github.com"],
    ["https://host/x?token=hunter2&lr=1"],
    ["--blob", "https://account/x?sv=2020&sig=hunter2%3D"],
    ["ghp_" + SECRET * 4],
    ["--id=sk-" + SECRET * 4],
    ["--text", "see xoxb-" + SECRET * 3],
    ["eyJhbGciOi" + SECRET + ".eyJzdWIi" + SECRET + "." + SECRET],
    ["-----BEGIN RSA PRIVATE KEY-----\n" + SECRET + "\n-----END RSA PRIVATE KEY-----"],
    ["-----BEGIN PRIVATE KEY-----\n" + SECRET],
]


@pytest.mark.parametrize("arguments", SECRETS, ids=lambda arguments: arguments[0][:30])
def test_secrets_are_hidden(arguments: list[str]) -> None:
    cleaned = clean_command_line(["python", "train.py", *arguments])
    assert SECRET not in " ".join(cleaned)
    assert "***" in " ".join(cleaned)
    assert cleaned[:2] == ["python", "train.py"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--lr", "0.1", "--epochs=5", "configs/resnet.yaml"],
        ["--max-tokens", "512", "--num_keys=8", "--key-dim", "64"],
        ["--tokenizer", "bert-base-uncased", "--monkey", "banana", "--passes=3"],
        ["--use-token", "true", "--auth=none"],
        ["--data", "/data/mnist", "--url", "https://host:8080/path?x=1"],
        ["optimizer.name=adam", "optimizer.lr=1e-3", "{'batch': 32}"],
        ["-c", "import train; train.main(lr=0.1, name='a: b')"],
        ["--note", "keep your keys warm"],
        ["--compass=north", "--author", "someone"],
    ],
)
def test_what_is_no_secret_stays(arguments: list[str]) -> None:
    assert clean_command_line(arguments) == arguments


def test_only_the_secret_goes() -> None:
    assert clean_command_line(["--token", "abc", "train.py", "--lr=1"]) == ["--token", "***", "train.py", "--lr=1"]
    assert clean_command_line(["--credentials", "a", "b", "--lr", "1"]) == ["--credentials", "***", "***", "--lr", "1"]
    assert clean_command_line(["--password", "--lr", "1"]) == ["--password", "--lr", "1"]
    assert clean_command_line(["https://u:p@host:1/a?token=x&b=2"]) == ["https://***@host:1/a?token=***&b=2"]
    assert clean_command_line(['{"a": 1, "key": "x", "b": 2}']) == ['{"a": 1, "key": ***, "b": 2}']


def test_variables_are_cleaned_by_name_and_by_content() -> None:
    assert clean_value("MS_SERVER_TOKEN", "abc") == "***"
    assert clean_value("XLA_FLAGS", "--dir=/x --auth_key=abc") == "--dir=/x --auth_key=***"
    assert clean_value("RANK", "3") == "3"
    assert clean_value("MS_TOKEN", "") == ""


def test_a_long_text_of_nothing_but_beginnings_is_soon_through() -> None:
    for piece in ("a://", "key ", "key=", "'", "-----BEGIN PRIVATE KEY", "eyJ.", "a:", '\\"', "password='"):
        text = piece * (8192 // len(piece))
        assert clean_command_line([text, text])
