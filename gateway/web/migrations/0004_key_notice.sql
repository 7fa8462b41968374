-- Keys about whose end a mail was sent, so that it is sent once.
create table web.key_notice (
    key_id uuid primary key,
    expires_at timestamptz not null
);
