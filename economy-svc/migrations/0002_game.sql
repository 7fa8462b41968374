-- The games whose economies may report, as listings-svc tells of them.
create table economy.game (
    id uuid primary key,
    epoch uuid not null,
    mode text not null check (mode in ('live', 'test')),
    slug text not null,
    title text not null,
    -- Only published games have a currency that others can look up (§2.7).
    published boolean not null
);
create index game_by_slug on economy.game (mode, slug);
