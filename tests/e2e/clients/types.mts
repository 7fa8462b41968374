// Reads responses with openapi-fetch and the types of openapi-typescript. `API` and `KEY` are in the environment.

import createClient from "openapi-fetch";
import type { components, paths } from "./schema.d.ts";

declare const process: { env: Record<string, string | undefined> };

type GameRow = components["schemas"]["GameRow"];

const client = createClient<paths>({
  baseUrl: process.env.API,
  headers: { Authorization: `Bearer ${process.env.KEY}` },
});

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** As a program treats a value that it does not know. */
function stage(row: GameRow): string {
  switch (row.stage) {
    case "in_development":
    case "early_access":
    case "released":
      return row.stage;
    default:
      return "other";
  }
}

const games = await client.GET("/games", { params: { query: { limit: 3 } } });
if (!games.data) throw new Error(games.error.error.message);
expect(games.data.data.length === 3, "three games");
for (const row of games.data.data) {
  expect(stage(row) === "other" && row.stage === "later", row.stage);
  expect(row.platforms.includes("later") && "later" in row, row.slug);
}

const found = await client.GET("/search", { params: { query: { q: "sample" } } });
for (const result of found.data?.data ?? []) {
  expect(result.type === "later" && (result.slug ?? result.handle) !== undefined, result.type);
}

const changes = await client.GET("/changes", { params: { query: { limit: 100 } } });
const last = changes.data?.data.at(-1);
expect(last?.change === "later", "changes");

const messages = await client.GET("/webhooks/messages");
expect(messages.data?.data[0]?.event === "later", "messages");

const missing = await client.GET("/games/{slug}", { params: { path: { slug: "nothing" } } });
expect(missing.error?.error.code === "later", "an error");
const invalid = await client.GET("/games", { params: { query: { cursor: "nothing" } } });
expect(invalid.error?.fields?.["cursor"] !== undefined, "the fields of an error");
