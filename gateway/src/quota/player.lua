-- Counts a call of a player to a game, unless the player's minute is used up.
--
-- KEYS[1]: the player's minute. ARGV: now in milliseconds, calls in a minute.
-- Returns whether the call may go on, and when the minute began. The time to live only cleans up.
local now, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
local held = redis.call('HMGET', KEYS[1], 'start', 'calls')
local start, calls = tonumber(held[1]), tonumber(held[2])
if not start or math.abs(now - start) >= 60000 then
  start, calls = now, 0
end
if calls >= limit then
  return {0, start}
end
redis.call('HSET', KEYS[1], 'start', start, 'calls', calls + 1)
redis.call('PEXPIRE', KEYS[1], 300000)
return {1, start}
