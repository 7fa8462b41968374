"""Writes standard_webhooks.json: signatures made by other libraries of Standard Webhooks. README.md says how it is run."""

import base64
import datetime
import hashlib
import hmac
import json
import subprocess

import standardwebhooks

BODIES = [
    "",
    "{}",
    '{"message":"hello"}',
    '{ "message" : "spaces" }\n',
    '{"message":"Habari, dünya ✓ 𝄞"}',
    '{"message":"dots.and.more.dots"}',
    '{"n":1.0,"e":1e2,"escaped":"\\u00e9\\n"}',
    "not JSON",
    "\n",
    "a" * 10_000,
]

JAVASCRIPT = """
const { Webhook } = require('standardwebhooks');
const [secret, id, timestamp] = process.argv.slice(1);
const body = require('fs').readFileSync(0, 'utf8');
process.stdout.write(new Webhook(secret).sign(id, new Date(timestamp * 1000), body));
"""


def vector(number, body):
    key = hashlib.sha256(f"key {number}".encode()).digest()
    standard = "whsec_" + base64.b64encode(key).decode()
    secret = "svc_" + standard
    id = f"00000000-0000-4000-8000-{number:012}"
    timestamp = 1_700_000_000 + number * 86_400
    at = datetime.datetime.fromtimestamp(timestamp, datetime.timezone.utc)
    javascript = subprocess.run(
        ["node", "-e", JAVASCRIPT, standard, id, str(timestamp)],
        input=body.encode(), capture_output=True, check=True,
    )
    own = hmac.new(secret.encode(), f"{timestamp}.{body}".encode(), hashlib.sha256)
    return {
        "secret": secret,
        "id": id,
        "timestamp": timestamp,
        "body": body,
        "python": standardwebhooks.Webhook(standard).sign(id, at, body),
        "javascript": javascript.stdout.decode(),
        "own": own.hexdigest(),
    }


vectors = [vector(number, body) for number, body in enumerate(BODIES)]
with open("standard_webhooks.json", "w") as file:
    json.dump(vectors, file, indent=1)
    file.write("\n")
