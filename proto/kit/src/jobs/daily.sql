-- For which moment each daily job ran last.
create table kit.daily_run (
    name text primary key,
    done_for timestamptz not null
);
