-- What the gateway tells of: who may have endpoints, how many, and whether real events are sent.
create table webhook.account (
    id uuid primary key,
    epoch uuid not null,
    plan text not null
);

create table webhook.plan (
    name text primary key,
    epoch uuid not null,
    -- Null: no limit.
    endpoints bigint check (endpoints >= 0),
    events boolean not null
);
