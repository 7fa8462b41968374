-- The trace of the change that the message announces, to which attempts are linked; null: it was not traced.
alter table webhook.message add column traceparent text;
