"""Reads a mail from standard input, strictly, and prints its fields, separated by NUL."""

import email
import re
import sys
from email import policy

HEADERS = """auto-submitted content-transfer-encoding content-type date from message-id mime-version subject to""".split()

raw = sys.stdin.buffer.read()
assert raw.isascii(), "it has bytes that need the SMTP extension 8BITMIME"
assert b"\0" not in raw, "it has a NUL"
lines = raw.split(b"\r\n")
assert not any(b"\r" in line or b"\n" in line for line in lines), "a line ends without CRLF (RFC 5321, 2.3.8)"
assert max(map(len, lines)) <= 998, "a line is too long (RFC 5322, 2.1.1)"
head = raw.partition(b"\r\n\r\n")[0].split(b"\r\n")
assert not any(b"=?" in line and len(line) > 76 for line in head), "a line with an encoded word is too long (RFC 2047, 2)"

message = email.message_from_bytes(raw, policy=policy.SMTP.clone(raise_on_defect=True))
names = sorted(name.lower() for name in message.keys())
assert names == HEADERS, f"it has other headers: {names}"
for name, value in message.items():
    assert not value.defects, f"{name}: {value.defects}"
for name in ["from", "to"]:
    assert len(message[name].addresses) == 1, f"{name}: {message[name]}"
assert message["mime-version"].version == "1.0", message["mime-version"]
assert message.get_content_type() == "text/plain", message["content-type"]
assert message.get_content_charset() == "utf-8", message["content-type"]
assert message["auto-submitted"] == "auto-generated", message["auto-submitted"]
assert message["date"].datetime.tzinfo is not None, message["date"]
domain = re.escape(message["from"].addresses[0].domain)
assert re.fullmatch(f"<[0-9a-f-]{{36}}@{domain}>", message["message-id"]), message["message-id"]

fields = [message[name] for name in ["from", "to", "subject", "message-id"]]
fields.append(message.get_content(errors="strict").replace("\r\n", "\n"))
sys.stdout.buffer.write("\0".join(fields).encode())
