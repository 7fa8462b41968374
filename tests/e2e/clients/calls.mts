// Calls with openapi-fetch and the types of openapi-typescript. `FLEET`, `KEY` and `TOKEN` are in the environment.

import createClient from "openapi-fetch";
import type { paths } from "./schema.d.ts";

declare const process: { env: Record<string, string | undefined> };

function client(variable: string) {
  const headers = { Authorization: `Bearer ${process.env[variable]}` };
  return createClient<paths>({ baseUrl: process.env["FLEET"], headers });
}

function fail(what: unknown): never {
  throw new Error(JSON.stringify(what));
}

const [key, token] = [client("KEY"), client("TOKEN")];

const games = await key.GET("/games", { params: { query: { country: "KE", limit: 2 } } });
const slug = games.data?.data[0]?.slug ?? fail(games.error);

const game = await key.GET("/games/{slug}", { params: { path: { slug } } });
if (game.data?.data.slug !== slug) fail(game.error);

const changed = await key.PATCH("/games/{slug}", { params: { path: { slug } }, body: { links: null } });
const change = changed.data?.data ?? fail(changed.error);
if (change.dry_run !== true) fail(change.slug);
if (change.would !== "update") fail(change);

const submitted = await key.POST("/events", {
  params: { header: { "Idempotency-Key": "calls" } },
  body: { title: "A Jam", kind: "jam", starts_at: "2027-02-27", country_code: "GH", city: "Accra" },
});
const event = submitted.data?.data ?? fail(submitted.error);
if (event.dry_run !== true) fail(event.note);
if (event.would !== "create") fail(event);

const found = await key.GET("/search", { params: { query: { q: "sample" } } });
const names: string[] = (found.data?.data ?? []).map((result) => {
  if (result.type === "creators") return result.handle;
  return result.type === "events" ? result.starts_at : result.name;
});
if (names.length === 0) fail(found);

const messages = await key.GET("/webhooks/messages", { params: { query: { limit: 100 } } });
const ranks: number[] = (messages.data?.data ?? []).flatMap((it) => (it.event === "ranking.moved" ? [it.data.rank] : []));
if (ranks.length === 0) fail(messages);

const made = await token.POST("/account/keys", { body: { name: "calls", mode: "test" } });
const id: string = made.data?.data.key.id ?? fail(made.error);

const rotated = await token.POST("/account/keys/{id}/rotate", { params: { path: { id }, query: { grace_seconds: 0 } } });
if (rotated.data?.data.old_key.id !== id) fail(rotated.error);

const refused = await key.GET("/games/{slug}", { params: { path: { slug: "nothing" } } });
if (refused.error?.error.code !== "not_found") fail(refused);
