-- A revision keeps the fields that it changed, as they were and as they became, and `state` of both; the first keeps all of what came.
-- Those from before this hold every field, which says the same.
comment on column listings.revision.before is 'The fields that it changed, and state; null for the first';
comment on column listings.revision.after is 'The same fields; all of them for the first';

-- As it was, but quick: a query in a function of SQL is planned anew for every row that is checked.
create or replace function listings.all_distinct(items text[]) returns boolean
    language plpgsql immutable strict as $$
begin
    if array_position(items, null) is not null then
        return false;
    end if;
    for place in 2 .. cardinality(items) loop
        if items[place] = any(items[:place - 1]) then
            return false;
        end if;
    end loop;
    return true;
end
$$;
