-- The dead letters of the version before. Its table stays while that version may still run; nothing reads it any more.
insert into catalogue.feed_dead_letter
    (producer, generation, seq, entity, id, revision, event, announced, happening, state, row_due, message_due, reason, put_aside_at)
select 'listings', epoch, seq, kind, id, 0, '', false, false, body, true, false, reason, at
from catalogue.dead_letter order by seq;
