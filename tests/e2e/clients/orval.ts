// Calls with the client of orval. `KEY` and `TOKEN` are in the environment.

import { createKey, getGame, listGames, rotateKey, search, submitEvent, updateGame } from "./api";

declare const process: { env: Record<string, string | undefined>; exitCode: number };

function options(variable: string, more: Record<string, string> = {}): RequestInit {
  return { headers: { Authorization: `Bearer ${process.env[variable]}`, ...more } };
}

function fail(what: unknown): never {
  throw new Error(JSON.stringify(what));
}

async function calls(): Promise<void> {
  const [key, token] = [options("KEY"), options("TOKEN")];

  const games = await listGames({ country: "KE", limit: 2 }, key);
  if (games.status !== 200) fail(games);
  const slug = games.data.data[0]?.slug ?? fail(games);

  const game = await getGame(slug, key);
  if (game.status !== 200 || game.data.data.slug !== slug) fail(game);

  const changed = await updateGame(slug, { links: null }, undefined, key);
  if (changed.status !== 200) fail(changed);
  const change = changed.data.data;
  if (change.dry_run !== true) fail(change.slug);
  if (change.would !== "update") fail(change);

  const event = { title: "A Jam", kind: "jam", starts_at: "2027-02-27", country_code: "GH", city: "Accra" } as const;
  const submitted = await submitEvent(event, undefined, options("KEY", { "Idempotency-Key": "orval" }));
  if (submitted.status !== 200) fail(submitted);
  if (submitted.data.data.would !== "create") fail(submitted);

  const found = await search({ q: "sample" }, key);
  if (found.status !== 200) fail(found);
  const names: string[] = found.data.data.map((result) => (result.type === "creators" ? result.handle : result.name));
  if (names.length === 0) fail(found);

  const made = await createKey({ name: "orval", mode: "test" }, token);
  if (made.status !== 201) fail(made);
  const { id } = made.data.data.key;

  const rotated = await rotateKey(id, { grace_seconds: 0 }, token);
  if (rotated.status !== 200 || rotated.data.data.old_key.id !== id) fail(rotated);

  const refused = await getGame("nothing", key);
  if (refused.status !== 404 || refused.data.error.code !== "not_found") fail(refused);
}

calls().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
