-- Adds a tombstone for a key: calls with it are rejected from now on.
--
-- KEYS: the account's hash.
-- ARGV: the key; the factor and the offset of the time.

local time = redis.call('time')
local now = ARGV[2] * (time[1] * 1000 + math.floor(time[2] / 1000)) + ARGV[3]
redis.call('hset', KEYS[1], ARGV[1] .. ':revoked', now)
if redis.call('ttl', KEYS[1]) < 0 then
  -- The hash has tombstones only. They are needed until every gateway has read the revocation from the feed.
  redis.call('expire', KEYS[1], 86400)
end
return 1
