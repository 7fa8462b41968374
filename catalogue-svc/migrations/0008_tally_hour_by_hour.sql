-- The hours that leave a window are read by hour. The build of the index holds up the job that adds votes up, for seconds; votes and
-- reads of boards touch no row of this table, so the version before serves on.
create index tally_hour_by_hour on catalogue.tally_hour (hour);
