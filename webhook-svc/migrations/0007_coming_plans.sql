-- A plan that is announced and not sold yet. Messages name another one, if they can.
alter table webhook.plan add column coming boolean not null default false;
