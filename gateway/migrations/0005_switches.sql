-- What staff can turn on and off (§7.3): the switches as they stand, at first all as a fleet begins.
create table gateway.switch (
    name text primary key,
    is_on boolean not null,
    -- Null until somebody throws it.
    changed_at timestamptz,
    -- Why it was thrown, as staff put it; may be empty.
    reason text not null default '',
    revision bigint not null default 1
);
insert into gateway.switch (name, is_on)
values ('api', true), ('economy', true), ('api_writes', true), ('submissions', true), ('read_only', false);
