-- Mails with links go before notices, and are not sent once their link has ended.
alter table web.mail
    -- How often the mail server did not take the mail, and how often with a permanent error.
    add column tries integer not null default 0,
    add column refusals integer not null default 0,
    -- The end of the link in the mail; null: a notice.
    add column expires_at timestamptz,
    -- The link in the mail; null in a mail with a link: it was used, replaced or withdrawn.
    add column link_id uuid references web.link on delete set null,
    -- Of a mail that was not tried.
    alter column next_attempt_at set default '-infinity';
update web.mail set next_attempt_at = default where next_attempt_at is null;
create index mail_by_priority on web.mail ((expires_at is null), next_attempt_at, id);
create index mail_by_link on web.mail (link_id) where link_id is not null;
