"""A language model's server that follows a plan, or fails in the way that it is told to, over real HTTP."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

HEALTHY = ""
STATUSES = {"status 500": 500, "status 404": 404, "status 401": 401, "status 429": 429}
DROPS, PAUSE = 20, 0.1
"""An answer in drops comes in so many parts, and so many seconds between two."""
LOADING = 2.0
"""So long the server says that it is loading its model, s."""
BODIES = {
    "an error inside of an answer": json.dumps({"error": {"message": "the model is overloaded", "code": 500}}),
    "no JSON": "{'choices': [",
    "a page of HTML": "<html><body>Bad gateway</body></html>",
    "no choices": json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": []}),
}
"""What is sent in place of an answer, with status 200."""
TEXTS = {
    "an empty text": "",
    "thoughts alone": "<think>The person wants {step}, so I could {step}.</think>",
    "a question instead of a choice": "I need more information. What exactly do you want?",
    "an option that there is not": "pick up the moon",
    "an answer in thoughts and prose": "<think>I could be done, or not.</think>My choice is: {step}",
}
"""What is answered in place of the plan's next step."""


class ChatServer:
    """Answers every chat with the step of a plan that is due; use as a context manager.

    Attributes:
      plan: Phrases of options, the last is ``done``.
      decided: Returns how many decisions have been taken: the next step is answered.
      fault: What is wrong; `HEALTHY` for nothing.
    """

    def __init__(self) -> None:
        self.plan: Sequence[str] = ("done",)
        self.decided: Callable[[], int] = lambda: 0
        self.fault = HEALTHY
        self.since = time.monotonic()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever)

    @property
    def model_name(self) -> str:
        """Name of the language model for the planner."""
        return f"openai:scripted@http://127.0.0.1:{self._server.server_address[1]}/v1"

    def break_down(self, fault: str) -> None:
        """Bring a fault about from now on."""
        self.fault, self.since = fault, time.monotonic()

    @property
    def text(self) -> str:
        """What is answered now."""
        index = 0 if self.fault == "the same option again and again" else min(self.decided(), len(self.plan) - 1)
        return TEXTS.get(self.fault, "{step}").format(step=self.plan[index])

    def __enter__(self) -> ChatServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            fault = server.fault
            if fault in ("the connection is closed", "the server ends"):
                self.close_connection = True
            elif fault == "no answer":
                while server.fault == fault:
                    time.sleep(0.1)
                self.close_connection = True
            elif fault == "'Loading model' for two seconds" and time.monotonic() - server.since < LOADING:
                self._send(503, json.dumps({"error": {"message": "Loading model", "type": "unavailable_error"}}))
            elif fault in STATUSES:
                self._send(STATUSES[fault], json.dumps({"error": {"message": "something is wrong"}}))
            elif not self.path.endswith("/chat/completions"):
                self._send(404, json.dumps({"error": {"message": "no such endpoint"}}))
            else:
                self._send(200, BODIES.get(fault) or json.dumps(_chat(server.text)), fault == "an answer in drops")

        def _send(self, status: int, text: str, in_drops: bool = False) -> None:
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            size = max(1, len(body) // DROPS) if in_drops else len(body)
            for start in range(0, len(body), size):
                self.wfile.write(body[start : start + size])
                self.wfile.flush()
                time.sleep(PAUSE * in_drops)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler


def _chat(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "1", "created": 0, "model": "scripted", "object": "chat.completion", "choices": [choice]}
