-- Appends calls to a part of the log of an account, and removes those that are too old or too many.
-- KEYS: the part, a sorted set of calls by their times in milliseconds.
-- ARGV: the time before which calls are removed; the most calls; seconds until an unused part expires;
-- the time and the call, for each call.
redis.call('ZADD', KEYS[1], unpack(ARGV, 4))
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
