"""A receiver of Mchezo's webhooks, with Python's standard library only: python3 receiver.py PORT STORE COMMAND

SERVICE_WEBHOOK_SECRET holds the signing secret. COMMAND is the work: a shell runs it for each message, whose id is $WEBHOOK_ID.
"""

import hashlib
import hmac
import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["SERVICE_WEBHOOK_SECRET"].encode()
PORT, STORE, COMMAND = int(sys.argv[1]), sys.argv[2], sys.argv[3]
EVENTS = {"listing.published", "listing.updated", "tip.paid", "ranking.moved", "ping"}

store = sqlite3.connect(STORE, check_same_thread=False, isolation_level=None)
store.execute("create table if not exists message (id text primary key, body blob not null, done integer not null default 0)")
lock = threading.Lock()
arrived = threading.Event()


def is_signed(headers, body):
    timestamp = headers.get("x-service-timestamp", "")
    signature = headers.get("x-service-signature", "")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 20):
        return False
    if abs(time.time() - int(timestamp)) > 300:
        return False
    expected = hmac.new(SECRET, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


def receive(headers, body):
    """The status of the answer."""
    if not is_signed(headers, body):
        return 401
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return 400
    if not isinstance(message, dict) or message.get("event") not in EVENTS or "id" not in message:
        return 200
    with lock:  # An id that is there already is left as it is.
        store.execute("insert or ignore into message (id, body) values (?, ?)", (message["id"], body))
    arrived.set()
    return 200


def work():
    while True:
        arrived.clear()
        with lock:
            message = store.execute("select id, body from message where done = 0 order by rowid limit 1").fetchone()
        if message is None:
            arrived.wait()
            continue
        subprocess.run(["sh", "-c", COMMAND], input=message[1], env={**os.environ, "WEBHOOK_ID": message[0]})
        with lock:
            store.execute("update message set done = 1 where id = ?", (message[0],))


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(receive(self.headers, body))
        self.send_header("content-length", "0")
        self.end_headers()


threading.Thread(target=work, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
