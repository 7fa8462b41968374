-- One table for every kind of entity that the listings feed carries, kinds that this version does not know included: a later version
-- finds them here. `body` is the entity's message of listings.v1, encoded, as the feed carried it; `epoch` marks the rows of one
-- rebuild, which removes those of older ones when it is whole.
create table catalogue.entity (
    kind text not null,
    id text not null,
    -- The change that brought it; 0 for rows that came before this table.
    seq bigint not null,
    epoch uuid not null,
    body bytea not null,
    primary key (kind, id)
);

-- The newest state of an entity that could not be converted. Each start tries again, since an upgrade may be able to.
create table catalogue.dead_letter (
    kind text not null,
    id text not null,
    seq bigint not null,
    epoch uuid not null,
    body bytea not null,
    reason text not null,
    at timestamptz not null default now(),
    primary key (kind, id)
);

-- The version before goes on answering from memory. What it persists from here on fails, cursor and all, and this version follows it
-- once it has the lease: no row may come between the copy and the drop.
lock table catalogue.genre, catalogue.country, catalogue.city, catalogue.page, catalogue.game, catalogue.event
    in access exclusive mode;

insert into catalogue.entity (kind, id, seq, epoch, body)
    select 'genre', id, 0, epoch, body from catalogue.genre
    union all select 'country', id, 0, epoch, body from catalogue.country
    union all select 'city', id, 0, epoch, body from catalogue.city
    union all select 'page', id::text, 0, epoch, body from catalogue.page
    union all select 'game', id::text, 0, epoch, body from catalogue.game
    union all select 'event', id::text, 0, epoch, body from catalogue.event;

drop table catalogue.genre, catalogue.country, catalogue.city, catalogue.page, catalogue.game, catalogue.event;
