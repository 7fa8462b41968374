-- The columns of `kit::mail`. Mails of this service have no links.
alter table webhook.mail
    -- How often the mail server did not take the mail, and how often with a permanent error.
    add column tries integer not null default 0,
    add column refusals integer not null default 0,
    -- The end of the link in the mail, and its row; null: a notice.
    add column expires_at timestamptz,
    add column link_id uuid,
    -- Of a mail that was not tried.
    alter column next_attempt_at set default '-infinity';
update webhook.mail set next_attempt_at = default where next_attempt_at is null;
create index mail_by_priority on webhook.mail ((expires_at is null), next_attempt_at, id);
