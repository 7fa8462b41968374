-- What listings-svc tells of: whether a listing may be sent, and what a message about it says.
create table webhook.listing (
    kind text not null check (kind in ('page', 'game', 'event')),
    id uuid not null,
    epoch uuid not null,
    mode text not null check (mode in ('live', 'test')),
    -- Handle of a page, slug of a game or an event.
    slug text not null,
    name text not null,
    url text not null,
    published boolean not null,
    revision bigint not null,
    primary key (kind, id)
);
