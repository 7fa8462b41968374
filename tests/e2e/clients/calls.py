"""Calls with the client of openapi-python-client. `FLEET` and `KEY` are in the environment."""

import os

from mchezo_client import AuthenticatedClient
from mchezo_client.api.events import submit_event
from mchezo_client.api.games import get_game, list_games, update_game
from mchezo_client.api.mirrors import list_changes
from mchezo_client.api.search import search
from mchezo_client.api.webhooks import list_messages
from mchezo_client.models import (
    DryRun,
    DryRunResponse,
    ErrorResponse,
    EventSubmission,
    GameChange,
    GamePage,
    GameResponse,
    GameRow,
    ListingChangePage,
    SearchResultPage,
    UpdatedResponse,
    WebhookMessagePage,
    WebhookMove,
)


key = AuthenticatedClient(os.environ["FLEET"], token=os.environ["KEY"], raise_on_unexpected_status=True)

games = list_games.sync(client=key, country="KE", limit=2)
assert isinstance(games, GamePage) and games.data, games
slug = games.data[0].slug

game = get_game.sync(slug, client=key)
assert isinstance(game, GameResponse) and game.data.slug == slug, game

changed = update_game.sync(slug, client=key, body=GameChange(links=None))
assert isinstance(changed, UpdatedResponse) and isinstance(changed.data, DryRun), changed
assert changed.data.would == "update", changed

event = EventSubmission.from_dict(
    {"title": "A Jam", "kind": "jam", "starts_at": "2027-02-27", "country_code": "GH", "city": "Accra"}
)
submitted = submit_event.sync(client=key, body=event, idempotency_key="calls")
assert isinstance(submitted, DryRunResponse) and submitted.data.would == "create", submitted

found = search.sync(client=key, q="sample")
assert isinstance(found, SearchResultPage), found
handles = [result.handle for result in found.data if result.type_ == "creators"]
assert handles, found

changes = list_changes.sync(client=key, limit=100)
assert isinstance(changes, ListingChangePage), changes
titles = [change.row.title for change in changes.data if isinstance(change.row, GameRow)]
assert titles, changes

messages = list_messages.sync(client=key, limit=100)
assert isinstance(messages, WebhookMessagePage), messages
ranks = [message.data.rank for message in messages.data if isinstance(message.data, WebhookMove)]
assert ranks, messages

refused = get_game.sync("nothing", client=key)
assert isinstance(refused, ErrorResponse) and refused.error.code == "not_found", refused
