-- The name of a currency at a time. Clocks of replicas differ, so a report may be older than the first name of its currency: it has that name.
create function economy.currency_name_at(game uuid, at timestamptz) returns text
    language sql stable
    return coalesce(
        (select name from economy.currency_name where game_id = game and since <= at order by since desc limit 1),
        (select name from economy.currency_name where game_id = game order by since limit 1)
    );

-- Staff read and decide on the held reports of a game together.
create index report_held_of_game on economy.report (game_id, id) where not counted and not rejected;
drop index economy.report_waiting;
