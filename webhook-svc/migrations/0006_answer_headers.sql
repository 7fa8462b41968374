-- Fields of the answer's head, a line each, as `name: value` (src/http/answer_headers.rs). Attempts before this column have none.
alter table webhook.attempt_log add column answer_headers text not null default '';
