"""Reads responses with the client of openapi-python-client. `API` and `KEY` are in the environment."""

import os
import sys

sys.path.insert(0, os.getcwd())

from mchezo_client import AuthenticatedClient
from mchezo_client.api.games import get_game, list_games
from mchezo_client.api.mirrors import list_changes
from mchezo_client.api.search import search
from mchezo_client.api.webhooks import list_messages

client = AuthenticatedClient(base_url=os.environ["API"], token=os.environ["KEY"], raise_on_unexpected_status=True)
LATER = {"later": "later"}

games = list_games.sync(client=client, limit=3)
assert games.additional_properties == games.meta.additional_properties == LATER, games
assert len(games.data) == 3
for row in games.data:
    assert row.slug and row.stage == "later" and "later" in row.platforms, row
    assert row.additional_properties == LATER, row

game = get_game.sync(games.data[0].slug, client=client).data
assert game.description and game.links.additional_properties == LATER, game

for found in search.sync(client=client, q="sample").data:
    assert found.name and found.type_ == "later", found

changes = list_changes.sync(client=client, limit=100).data
assert {(change.type_, change.change) for change in changes} == {("later", "later")}
assert any(change.row for change in changes) and changes[-1].row.additional_properties == LATER, changes

messages = list_messages.sync(client=client).data
assert {message.event for message in messages} == {"later"}
assert messages[0].data.name and messages[-1].data.additional_properties == LATER, messages

error = get_game.sync("nothing", client=client).error
assert error.code == "later" and error.message, error
invalid = list_games.sync(client=client, cursor="nothing")
assert invalid.error.code == "later" and invalid.fields["cursor"], invalid
