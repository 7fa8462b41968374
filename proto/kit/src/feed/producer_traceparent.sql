-- The trace of the write that made the change, as the header `traceparent` of W3C Trace Context; null: the write was not traced.
alter table kit.feed add column traceparent text;
