-- What the listings feed says about games: a key works as long as its game is published.
create sequence gateway.game_change;
create table gateway.game (
    id text primary key,
    slug text not null,
    mode text not null check (mode in ('test', 'live')),
    published boolean not null,
    -- Epoch of the listings feed that the row was last seen in.
    epoch uuid not null,
    -- Rises whenever slug, mode or published change, for the replicas that do not follow the feed themselves.
    change bigint not null
);
create index game_by_slug on gateway.game (slug);
create index game_by_change on gateway.game (change);
