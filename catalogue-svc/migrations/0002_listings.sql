-- The listings as the feed of listings-svc tells them: both modes, every state. A game whose page is pending is kept as well, for
-- the page may be published later.
--
-- `body` is the entity's message of listings.v1, encoded, just as the feed carried it: replicas decode it when they load, and a
-- field that is added to a message needs no migration. The columns beside it are for people who look, and for sweeping; replicas
-- answer from memory. `epoch` is the feed epoch that brought the row: a rebuild leaves rows of older ones behind, and removes them.

create table catalogue.genre (
    id text primary key,
    epoch uuid not null,
    key text not null,
    body bytea not null
);

create table catalogue.country (
    id text primary key,
    epoch uuid not null,
    code text not null,
    body bytea not null
);

create table catalogue.city (
    id text primary key,
    epoch uuid not null,
    slug text not null,
    country_code text not null,
    body bytea not null
);

create table catalogue.page (
    id uuid primary key,
    epoch uuid not null,
    mode text not null check (mode in ('live', 'test')),
    state text not null check (state in ('pending', 'published', 'rejected', 'removed')),
    revision bigint not null,
    handle text not null,
    body bytea not null
);

create table catalogue.game (
    id uuid primary key,
    epoch uuid not null,
    mode text not null check (mode in ('live', 'test')),
    state text not null check (state in ('pending', 'published', 'rejected', 'removed')),
    revision bigint not null,
    slug text not null,
    page_id uuid not null,
    body bytea not null
);

create table catalogue.event (
    id uuid primary key,
    epoch uuid not null,
    mode text not null check (mode in ('live', 'test')),
    state text not null check (state in ('pending', 'published', 'rejected', 'removed')),
    revision bigint not null,
    slug text not null,
    body bytea not null
);
