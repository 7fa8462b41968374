-- Listings about whose corrections a mail was sent on a day, so that there is at most one a day.
create table web.note_notice (
    -- In UTC.
    day date not null,
    -- `page`, `game` or `event`.
    kind text not null,
    -- The slug or the handle.
    name text not null,
    primary key (day, kind, name)
);
