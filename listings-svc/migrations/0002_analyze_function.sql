-- Updates the planner statistics of a table, which only the owner of the schema may do. Does not wait for another `analyze` of the table.
create function listings.analyze_table(name text) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    execute format('analyze (skip_locked) listings.%I', name);
end
$$;

revoke execute on function listings.analyze_table(text) from public;
