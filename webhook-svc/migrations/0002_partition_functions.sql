-- The role of the service changes no table. These functions create and drop the partitions of `attempt_log` for it, as the owner of the schema.
-- They wait a short time for locks: inserts queue behind a statement that waits for a lock of the table.

create function webhook.create_attempt_partition(day date) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
as $$
declare
    partition text := 'attempt_log_' || to_char(day, 'YYYYMMDD');
begin
    -- Attaching a table locks the log less than creating a partition of it, and blocks no insert.
    execute format('create table if not exists webhook.%I (like webhook.attempt_log including all)', partition);
    execute format(
        'alter table webhook.attempt_log attach partition webhook.%I for values from (%L) to (%L)',
        partition, to_char(day, 'YYYY-MM-DD') || ' 00:00+00', to_char(day + 1, 'YYYY-MM-DD') || ' 00:00+00'
    );
end
$$;

create function webhook.drop_attempt_partition(day date) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
as $$
begin
    execute format('drop table webhook.%I', 'attempt_log_' || to_char(day, 'YYYYMMDD'));
end
$$;

revoke execute on function webhook.create_attempt_partition(date), webhook.drop_attempt_partition(date) from public;
