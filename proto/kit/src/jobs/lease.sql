-- Work that runs in one replica at a time.
create table kit.lease (
    name text primary key,
    holder uuid not null,
    expires_at timestamptz not null
);
