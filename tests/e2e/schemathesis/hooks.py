"""What JSON Schema cannot express: values for the formats of the document.

`VALUES` in the environment is a JSON object with the values that exist: `genre`, `country`, `currency`, `page` and `own-game`.
"""

import json
import os
import re
from datetime import date, datetime, timezone

import schemathesis
from hypothesis import strategies as st

VALUES = json.loads(os.environ["VALUES"])

for name, values in VALUES.items():
    schemathesis.openapi.format(name, st.sampled_from(values))

# Only a response has a cursor. An empty one counts as absent.
schemathesis.openapi.format("cursor", st.just(""))

# Words, also more than the ten that count.
schemathesis.openapi.format(
    "words",
    st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12), min_size=1, max_size=12).map(" ".join),
)

# The rules of the contract about characters (§4.3). A text that is all space counts as empty, and the name of a city has letters.
PLAIN = st.characters(categories=["L", "N", "P", "S"], exclude_characters="\ufffd")
schemathesis.openapi.format("line", st.text(PLAIN).map("A{}".format))
schemathesis.openapi.format("text", st.text(PLAIN | st.sampled_from("\n\t ")))

WORD = re.compile(r"[^\W_]+")
ADDRESS = re.compile(r"https://[a-z0-9]+\.example/[a-z0-9]*")
TIME = re.compile(r"now|\d{4}-\d\d-\d\d(T.*)?")
LABEL = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=20)
schemathesis.openapi.format("https-address", st.builds("https://{}.example/{}".format, LABEL, LABEL))

# A moment of the history that is not in the future; days of the calendar that is in use.
NOW = datetime.now(timezone.utc).replace(tzinfo=None)
MOMENT = st.datetimes(min_value=datetime(1970, 1, 1), max_value=NOW).map("{:%Y-%m-%dT%H:%M:%S}Z".format)
DAY = st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31)).map(str)
schemathesis.openapi.format("date-time", MOMENT)
schemathesis.openapi.format("date", DAY)
PAST_DAY = st.dates(min_value=date(1970, 1, 1), max_value=NOW.date()).map(str)
schemathesis.openapi.format("time-or-day", MOMENT | PAST_DAY)
schemathesis.openapi.format("time-or-now", MOMENT | PAST_DAY | st.just("now"))


@schemathesis.hook
def before_call(context, case, kwargs):
    """Makes a good request as good as it is meant to be, where a schema cannot say what is good.

    schemathesis also makes texts without regard to a format that it does not know; these get a value of the format.
    """
    # An empty parameter counts as absent (§4): `allowEmptyValue` says so, and schemathesis does not read it.
    if isinstance(case.query, dict):
        case.query = {name: value for name, value in case.query.items() if value != ""}
    if case.meta is None or case.meta.generation.mode.is_negative:
        return
    # A tag has quotes: an empty header is made without regard to the pattern.
    for name in [name for name, value in (case.headers or {}).items() if value == ""]:
        del case.headers[name]
    if isinstance(case.query, dict):
        repair_query(case.query, case.path)
    if isinstance(case.body, dict):
        case.body = in_digits(case.body)
        repair_body(case.body, case.method)


def repair_query(query, path):
    query.pop("cursor", None)
    if isinstance(query.get("q"), str):
        query["q"] = " ".join(WORD.findall(query["q"])[:12]) or "lagos"
    currencies = ["from", "to", "game"] if path.endswith("/rates") else ["game"]
    times = ["from", "to"] if path.endswith("/history") else []
    for name in ["since", "updated_since", *times]:
        if name in query and not TIME.fullmatch(str(query[name])):
            query[name] = "2026-03-01T08:00:00Z"
    formats = {"country": "country", "genre": "genre"} | {name: "currency" for name in currencies}
    for name, values in formats.items():
        if name in query and query[name] not in VALUES[values]:
            query[name] = VALUES[values][0]
    if not path.endswith("/rates"):
        in_order(query, "from", "to")


def repair_body(body, method):
    in_order(body, "starts_at", "ends_at")
    if method == "PATCH" and "starts_at" in body and "ends_at" not in body:
        # The listing may end before that.
        body["ends_at"] = None
    if isinstance(body.get("genres"), list):
        body["genres"] = [key for key in body["genres"] if key in VALUES["genre"]]
    if "country_code" in body and body["country_code"] not in VALUES["country"]:
        body["country_code"] = VALUES["country"][0]
    links = body.get("links") if isinstance(body.get("links"), dict) else {}
    for addresses in (body, links):
        for name in addresses.keys() & (links.keys() | {"url", "trailer_url"}):
            if isinstance(addresses[name], str) and not ADDRESS.fullmatch(addresses[name]):
                addresses[name] = "https://mchezo.example/"
    for name in ("title", "tagline", "city", "description", "player", "note"):
        if isinstance(body.get(name), str) and not WORD.match(body[name]):
            body[name] = " ".join(WORD.findall(body[name])) or "Lagos"
    # A release year is at most five years ahead (§4.3).
    if isinstance(body.get("release_year"), int):
        body["release_year"] = min(body["release_year"], NOW.year + 5)


def in_order(fields, first, last):
    """A range does not end before it starts."""
    start, end = fields.get(first), fields.get(last)
    if isinstance(start, str) and isinstance(end, str) and end < start:
        fields[last] = start


def in_digits(value):
    """A whole number has digits only (§2.6). For JSON Schema, 5.0 is one."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, dict):
        return {key: in_digits(item) for key, item in value.items()}
    if isinstance(value, list):
        return [in_digits(item) for item in value]
    return value
