-- Counts a call of a player to a game, unless the player's minute is exceeded.
--
-- KEYS: the player's minute.
-- ARGV: the factor and the offset of the time; calls per minute.
-- Returns: 1 if the call is allowed; the milliseconds until the minute ends. The expiry only cleans up.
local time, limit = redis.call('TIME'), tonumber(ARGV[3])
local now = ARGV[1] * (time[1] * 1000 + math.floor(time[2] / 1000)) + ARGV[2]
local values = redis.call('HMGET', KEYS[1], 'start', 'calls')
local start, calls = tonumber(values[1]), tonumber(values[2])
if not start or now - start >= 60000 then
  start, calls = now, 0
end
if calls >= limit then
  return {0, start + 60000 - now}
end
redis.call('HSET', KEYS[1], 'start', start, 'calls', calls + 1)
redis.call('PEXPIRE', KEYS[1], 300000)
return {1, start + 60000 - now}
