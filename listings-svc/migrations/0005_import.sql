-- Imports under way, by the file's digest: how far each has come and what came of its rows. Kept in the transactions that write the
-- rows, and gone once the import is finished.
create table listings.import (
    id uuid primary key,
    entity text not null,
    mode text not null,
    file_sha256 text not null,
    next_line bigint not null default 1,
    created bigint not null default 0,
    updated bigint not null default 0,
    unchanged bigint not null default 0,
    refused bigint not null default 0,
    touched_at timestamptz not null,
    unique (file_sha256, entity, mode)
);

-- Rows that were refused, for the report.
create table listings.import_refusal (
    import uuid not null references listings.import (id) on delete cascade,
    line bigint not null,
    name text not null,
    -- Field to reason.
    fields jsonb not null,
    primary key (import, line)
);

-- Names that an import has met, so that a second row of the same name is refused instead of undoing the first.
create table listings.import_name (
    import uuid not null references listings.import (id) on delete cascade,
    name text not null,
    line bigint not null,
    primary key (import, name)
);

-- One row for each kind of entity in each world. Whoever writes rows of an import holds its row: of two imports of the same kind one
-- writes at a time, so that their rows are never locked in two orders.
create table listings.import_gate (
    entity text not null,
    mode text not null,
    primary key (entity, mode)
);
insert into listings.import_gate (entity, mode)
select entity, mode
from unnest(array['genre', 'country', 'city', 'page', 'game', 'event']) as entity, unnest(array['live', 'test']) as mode;

-- What was done at a start, and with which input: not done again while the input stays the same.
create table listings.start_work (
    name text primary key,
    input text not null,
    at timestamptz not null
);
