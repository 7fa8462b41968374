-- The version of the task's input: a replica of an older version neither undoes nor repeats what a newer one has done.
alter table listings.start_work add column version integer not null default 0;
-- Until now the input of this task ended with the version.
update listings.start_work set version = coalesce(substring(input from ' ([0-9]+)$')::integer, 0)
where name = 'public addresses';
