"""A language model's server that says what the test wants: the OpenAI chat protocol over real HTTP."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ChatPeer:
    """Answers every chat with `answer`, or what `reply` makes of the prompt; use as a context manager."""

    def __init__(self):
        peer = self
        self.answer = "done"

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                chat = self.path.endswith("/chat/completions")
                prompt = "\n".join(str(part["content"]) for part in request.get("messages", ()))
                message = {"role": "assistant", "content": peer.reply(prompt)}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                content = {"id": "1", "created": 0, "model": "m", "object": "chat.completion", "choices": [choice]}
                encoded = json.dumps(content if chat else {"error": {"message": "no such endpoint"}}).encode()
                self.send_response(200 if chat else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(encoded)))
                self.end_headers()
                self.wfile.write(encoded)

            def log_message(self, *args):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)

    def reply(self, prompt):
        return self.answer

    @property
    def model_name(self):
        return f"openai:scripted@http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
