"""Reads responses with the models of datamodel-code-generator. `API` and `KEY` are in the environment."""

import os
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

sys.path.insert(0, os.getcwd())

import models
from pydantic import TypeAdapter


def get(path, model):
    """The response, as the model has it."""
    request = Request(os.environ["API"] + path, headers={"Authorization": "Bearer " + os.environ["KEY"]})
    try:
        with urlopen(request) as response:
            body = response.read()
    except HTTPError as error:
        body = error.read()
    return TypeAdapter(model).validate_json(body)


class Response(models.BaseModel):
    """The envelope of a list."""

    data: list
    meta: dict


def rows(path, row, meta):
    response = get(path, Response)
    TypeAdapter(meta).validate_python(response.meta)
    return TypeAdapter(list[row]).validate_python(response.data)


games = rows("/games?limit=3", models.GameRow, models.ListMeta)
assert len(games) == 3
for row in games:
    assert row.slug and row.stage.root == "later" and row.later == "later", row

for found in rows("/search?q=sample", models.SearchResult, models.ListMeta):
    assert found.root.name and found.root.type == "later", found

messages = rows("/webhooks/messages", models.WebhookMessage, models.MessagesMeta)
assert {message.root.event for message in messages} == {"later"}, messages

for path in ["/games/nothing", "/games?cursor=nothing"]:
    response = get(path, models.ErrorResponse)
    assert response.error.code == "later" and response.error.message, response
