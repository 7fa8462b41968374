// Calls with openapi-fetch and the types of openapi-typescript. `FLEET` and `KEY` are in the environment.

import createClient from "openapi-fetch";
import type { paths } from "./schema.d.ts";

declare const process: { env: Record<string, string | undefined> };

function fail(what: unknown): never {
  throw new Error(JSON.stringify(what));
}

const headers = { Authorization: `Bearer ${process.env["KEY"]}` };
const key = createClient<paths>({ baseUrl: process.env["FLEET"], headers });

const games = await key.GET("/games", { params: { query: { country: "KE", limit: 2 } } });
const slug = games.data?.data[0]?.slug ?? fail(games.error);

const game = await key.GET("/games/{slug}", { params: { path: { slug } } });
if (game.data?.data.slug !== slug) fail(game.error);

const changed = await key.PATCH("/games/{slug}", { params: { path: { slug } }, body: { links: null } });
const change = changed.data?.data ?? fail(changed.error);
if (!("would" in change) || change.would !== "update") fail(change);

const submitted = await key.POST("/events", {
  params: { header: { "Idempotency-Key": "calls" } },
  body: { title: "A Jam", kind: "jam", starts_at: "2027-02-27", country_code: "GH", city: "Accra" },
});
const event = submitted.data?.data ?? fail(submitted.error);
if (!("would" in event) || event.would !== "create") fail(event);

const found = await key.GET("/search", { params: { query: { q: "sample" } } });
const handles = (found.data?.data ?? []).flatMap((result) => (result.type === "creators" ? [result.handle] : []));
if (handles.length === 0) fail(found);

const changes = await key.GET("/changes", { params: { query: { limit: 100 } } });
const titles: string[] = (changes.data?.data ?? []).flatMap((it) => (it.row && "stage" in it.row ? [it.row.title] : []));
if (titles.length === 0) fail(changes);

const messages = await key.GET("/webhooks/messages", { params: { query: { limit: 100 } } });
const ranks: number[] = (messages.data?.data ?? []).flatMap((it) => ("rank" in it.data ? [it.data.rank] : []));
if (ranks.length === 0) fail(messages);

const refused = await key.GET("/games/{slug}", { params: { path: { slug: "nothing" } } });
if (refused.error?.error.code !== "not_found") fail(refused);
