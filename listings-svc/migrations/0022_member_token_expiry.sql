-- When the token of a member expires, unless it is renewed. The tokens that exist get 90 days from now, and so do those that a version before
-- this one makes meanwhile.
alter table listings.staff_member add column expires_at timestamptz not null default now() + interval '90 days';
