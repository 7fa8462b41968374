import hashlib
import hmac
import json
import os
import sqlite3
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# One secret; while it is rotated the old and the new one, with a space between them.
SECRETS = os.environ.get("SERVICE_WEBHOOK_SECRET", "").split()
if not SECRETS or not all(secret.startswith("svc_whsec_") for secret in SECRETS):
    sys.exit("Set SERVICE_WEBHOOK_SECRET to the whole signing secret.")
EVENTS = {"listing.published", "listing.updated", "tip.paid", "ranking.moved", "ping"}
MAX_BODY = 256 * 1024  # bytes; ours have far fewer
ATTEMPTS = 5  # of a message whose work fails: again after 1, 2, 4 and 8 seconds, then it is set aside

store = sqlite3.connect("messages.db", check_same_thread=False, isolation_level=None)
store.execute(
    "create table if not exists message"
    " (id text primary key, body blob, is_handled int default 0, attempts int default 0)"
)
store.execute("create index if not exists waiting on message (is_handled)")
lock = threading.Lock()
arrived = threading.Event()
due = {}  # when failed work is tried again, by a clock that never goes back


def handle(message):
    print(f"handled {message['id']} {message['event']}", flush=True)


def is_signed(headers, body):
    timestamp = headers.get("x-service-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 16):
        return False
    if abs(time.time() - int(timestamp)) > 300:
        return False
    for secret in SECRETS:
        expected = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        for name in ("x-service-signature", "x-service-signature-next"):
            signature = headers.get(name, "")
            if hmac.compare_digest(expected.encode(), signature.encode()):
                return True
    return False


def not_json(constant):
    raise ValueError(constant)  # NaN and Infinity


def receive(headers, body):
    if headers.get("content-encoding", "").lower() not in ("", "identity"):
        return 415  # a body is read as it is
    if not is_signed(headers, body):
        return 401
    try:
        message = json.loads(body.decode("utf-8"), parse_constant=not_json)
    except (ValueError, RecursionError):
        return 400
    if not isinstance(message, dict) or not all(isinstance(message.get(name), str) for name in ("event", "id")):
        return 200
    if message["event"] not in EVENTS:
        return 200
    if not message["id"].isascii():  # half of a surrogate pair could not be stored
        return 200
    with lock:  # stored before the response; an id that is there stays as it is
        store.execute("insert or ignore into message (id, body) values (?, ?)", (message["id"], body))
    arrived.set()
    return 200


def next_message():
    with lock:
        rows = store.execute(
            "select id, body, attempts from message where is_handled = 0 and attempts < ? order by rowid", (ATTEMPTS,)
        )
        return next((row for row in rows if due.get(row[0], 0) <= time.monotonic()), None)


def work():
    while True:
        arrived.clear()
        row = next_message()
        if row is None:
            arrived.wait(1)
            continue
        id, body, attempts = row
        try:
            handle(json.loads(body))
        except Exception as error:
            then = "set aside" if attempts + 1 == ATTEMPTS else "tried again"
            print(f"{id} failed and is {then}: {error!r}", file=sys.stderr, flush=True)
            due[id] = time.monotonic() + 2**attempts
            with lock:
                store.execute("update message set attempts = ? where id = ?", (attempts + 1, id))
            continue
        due.pop(id, None)
        with lock:
            store.execute("update message set is_handled = 1 where id = ?", (id,))


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        if not 0 <= length <= MAX_BODY:
            return self.send_error(413)
        self.send_response(receive(self.headers, self.rfile.read(length)))
        self.send_header("accept-encoding", "identity")
        self.send_header("content-length", "0")
        self.end_headers()


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
work()  # if it fails (a full disk), the program ends: it must not accept messages that nobody works on
