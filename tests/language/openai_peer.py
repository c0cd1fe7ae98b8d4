"""A small server process that speaks the OpenAI protocol over real HTTP, as a simulated peer for the client.

Run: python openai_peer.py PORT MODE. Modes: ``echo`` offers log-probabilities of a prompt (each character is a
token worth -0.1, or -0.01 in "red"), ``bos`` does so behind a token of its own, ``chat`` only chats, ``plain``
completes without log-probabilities, ``short`` answers 400 where a prompt has more than 99 letters, ``silent``
and ``llama`` refuse to echo with 400 and 500, ``unknown`` knows no model, ``page``, ``nothing``, ``error`` and
``half`` answer with status 200 what is no answer, ``nan`` has log-probabilities that are no numbers, ``split``
shows two tokens where a letter is, ``mute`` chats without a word, ``flaky`` fails twice with 503 and then works,
``broken`` always fails, ``slow`` never answers, ``locked`` wants the key "secret", ``talks`` repeats the key that
it is sent, ``dies`` ends its process while a request is being answered, ``deaf`` takes no notice of ``echo``,
``basic`` wants a name and a password, ``drips`` sends blanks before its answer. ``parts`` chats in parts, ``number`` in
numbers, ``thinks`` for 1000 tokens before its answer, ``template`` and ``begins`` begin their thoughts in the template,
``ponders`` thinks without end, ``hides`` does not show its thoughts, ``new`` refuses parameters of old, ``stubborn``
wants the green block, listed or not, unless the red one alone is, and a number is the status of every answer.
``loads`` says three times that it is loading its model and then chats, ``loading`` says so without end. ``asks``,
``greets``, ``other`` and ``undecided`` choose nothing, ``second`` does so when asked again; ``channels``, ``marks`` and
``prose`` name another option in their thoughts. ``lacks-WHAT-STATUS`` does not take what is lacking (``system``,
``logprobs``, ``echo`` or ``completions``) and answers that status, or 200 with an error inside.
"""

import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODE = sys.argv[2]
BOS = "<|begin_of_text|>"
CHATTING = ("chat", "mute", "parts", "number", "thinks", "template", "ponders", "hides", "begins", "new", "stubborn")
UNCHOSEN = {
    "asks": "I need more information.",
    "greets": "Hello! How can I help you?",
    "other": "pick up the purple block",
    "undecided": "Pick up the red block. Or pick up the green block.",
}
GREEN = "The green block is near. I could pick up the green block."
THOUGHTFUL = {
    "channels": f"<|channel|>analysis<|message|>{GREEN}<|end|><|start|>assistant<|channel|>final<|message|>",
    "marks": f"[THINK]{GREEN}\npick up the green block[/THINK]",
    "prose": f"{GREEN} But the task says otherwise.\n\n",
}
CHATTING = (*CHATTING, *UNCHOSEN, *THOUGHTFUL, "loads", "loading", "second")
LACKING, _, LACKING_STATUS = MODE.removeprefix("lacks-").partition("-")
requests = 0


def lacking(path: str, body: dict) -> bool:
    """True if a request has what the server lacks; one that lacks the role ``system`` only chats."""
    if not MODE.startswith("lacks-"):
        return False
    completes = not path.endswith("/chat/completions")
    has = {
        "system": completes or any(message["role"] == "system" for message in body["messages"]),
        "logprobs": bool(body.get("logprobs")),
        "echo": bool(body.get("echo")),
        "completions": completes,
    }
    return has[LACKING]


def completion(prompt: str, index: int, logprobs: bool) -> dict:
    text = prompt + "!"
    if not logprobs:
        return {"index": index, "text": "pick up the red block", "finish_reason": "stop", "logprobs": None}
    worth = [None] + [-0.01 if "red" in text[max(0, i - 2) : i + 3] else -0.1 for i in range(1, len(text))]
    if MODE == "nan":
        worth[-4] = float("nan")
    if MODE == "split":
        text = "".join("\ufffd\ufffd" if letter == "\u2615" else letter for letter in text)
        worth = [None, *(-0.1 for _ in text[1:])]
    before = [BOS] if MODE == "bos" else []
    echoed = {
        "tokens": [*before, *text],
        "token_logprobs": [None, -3.0, *worth[1:]] if before else worth,
        "text_offset": [*(0 for _ in before), *(len("".join(before)) + i for i in range(len(text)))],
        "top_logprobs": None,
    }
    return {"index": index, "text": text, "finish_reason": "length", "logprobs": echoed}


class Peer(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        global requests
        requests += 1
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if MODE == "slow":
            time.sleep(30)
        if MODE == "dies":
            os._exit(1)
        if MODE == "locked" and self.headers["Authorization"] != "Bearer secret":
            return self.answer(401, {"error": {"message": "wrong key: " + self.headers["Authorization"]}})
        if MODE == "basic" and self.headers["Authorization"] != "Basic YWxpY2U6czMgY3JldA==":
            return self.answer(401, {"error": {"message": "who are you?"}})
        if MODE.isdigit():
            return self.answer(int(MODE), {"error": {"message": "too long"}})
        if lacking(self.path, body):
            return self.answer(int(LACKING_STATUS), {"error": {"message": "not here"}})
        if MODE == "loading" or (MODE == "loads" and requests <= 3):
            return self.answer(503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}})
        if MODE == "drips":
            return self.drip()
        if MODE == "talks":
            return self.answer(400, {"error": {"message": "wrong key: " + self.headers["Authorization"]}})
        if MODE == "broken" or (MODE == "flaky" and requests <= 2):
            return self.answer(503, {"error": {"message": "overloaded"}})
        if MODE == "page":
            return self.answer(200, "<html>Welcome</html>", "text/html")
        if MODE == "half":
            return self.answer(200, '{"choices": [')
        if MODE in ("nothing", "error"):
            return self.answer(200, {"choices": []} if MODE == "nothing" else {"error": {"message": "no"}})
        if MODE == "unknown":
            return self.answer(404, {"error": {"message": f"The model `{body['model']}` does not exist."}})
        if MODE == "short" and len(str(body.get("prompt"))) > 99:
            return self.answer(400, {"error": {"message": "maximum context length is 99"}})
        if MODE == "silent" and body.get("echo"):
            return self.answer(400, {"error": {"message": "Echo is not supported"}})
        if MODE == "llama" and body.get("echo"):
            return self.answer(500, {"error": {"code": 500, "message": "Only no echo is supported"}})
        base = {"id": "1", "created": 0, "model": body["model"]}
        if self.path.endswith("/chat/completions"):
            refused = [name for name in ("max_tokens", "temperature") if name in body]
            if MODE == "new" and refused:
                return self.answer(400, {"error": {"message": f"'{refused[0]}' is not supported with this model."}})
            said, reason = self.said(body.get("max_tokens", 0), body.get("stop"))
            listed = str(body["messages"][0]["content"])
            if MODE == "second" and body["messages"][-1]["content"].startswith("That is not"):
                said = "pick up the green block"
            elif MODE == "second":
                said = "It would be best to pick up the green block next"
            if MODE == "stubborn" and "red" in listed and "green" not in listed:
                said = "pick up the red block"
            choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": reason}
            return self.answer(200, {**base, "object": "chat.completion", "choices": [choice]})
        if MODE in CHATTING:
            return self.answer(404, {"error": {"message": "no such endpoint"}})
        prompts = body["prompt"] if isinstance(body["prompt"], list) else [body["prompt"]]
        offered = bool(body.get("logprobs")) and MODE != "plain"
        choices = [completion(p, i, offered) for i, p in enumerate(prompts)]
        if MODE == "deaf":
            worth = {"tokens": [" I"], "token_logprobs": [-1.0], "text_offset": [0], "top_logprobs": None}
            choices = [{**choice, "text": " I", "logprobs": worth} for choice in choices]
        return self.answer(200, {**base, "object": "text_completion", "choices": choices[::-1]})

    def said(self, max_tokens: int, stop: list | None) -> tuple[str | list | int | None, str]:
        answer = "I would say: Pick up the green block."
        thoughts = "\nThe red block?\nOr pick up the red block?\n"
        if MODE in UNCHOSEN:
            return UNCHOSEN[MODE], "stop"
        if MODE in THOUGHTFUL:
            return THOUGHTFUL[MODE] + "pick up the red block", "stop"
        if MODE == "mute":
            return None, "stop"
        if MODE == "number":
            return 7, "stop"
        if MODE == "parts":
            thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
            return [thinking, {"type": "text", "text": answer[:9]}, {"type": "text", "text": answer[9:]}], "stop"
        if MODE == "ponders" or (MODE == "thinks" and (max_tokens < 1000 or stop)):
            return "<think>" + thoughts, "length"
        if MODE == "begins" and max_tokens < 1000:
            return "So I could pick up the red block, or", "length"
        if MODE == "hides" and max_tokens < 1000:
            return "", "length"
        before = {"thinks": f"<think>{thoughts}</think>\n\n", "template": f"{thoughts}</think>\n\n"}
        return before.get(MODE, "") + answer, "stop"

    def drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        for _ in range(100):
            self.wfile.write(b"\n")
            time.sleep(0.1)

    def answer(self, status: int, content: dict | str, kind: str = "application/json") -> None:
        encoded = (content if isinstance(content, str) else json.dumps(content)).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(encoded)))
        self.end_headers()
        self.wfile.write(encoded)

    def log_message(self, *args) -> None:
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Peer)
    print(server.server_address[1], flush=True)
    server.serve_forever()
