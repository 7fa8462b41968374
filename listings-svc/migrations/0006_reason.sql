-- Why staff made a change; null where nobody gives a reason.
alter table listings.revision add column reason text;
