-- A mail that the server refused waits until then, while the others are sent; null: it was not refused yet.
alter table webhook.mail add column next_attempt_at timestamptz;
