-- Adds calls to a month that were let through while Redis was away. However often it is run, it adds them once.
--
-- KEYS: the account's hash, a mark of these calls.
-- ARGV: the month, the run of Redis (empty in a cluster), the calls (fewer than none when some were given back).
-- Answer: calls in the month, or -1 when this run does not count it yet.

local run = ARGV[2]
if run == '' then
  -- A cluster: only the node itself knows which run it is.
  run = string.sub(string.match(redis.call('info', 'server'), 'run_id:(%w+)'), 1, 20)
end
local month_field = ARGV[1] .. '@' .. run
local month = tonumber(redis.call('hget', KEYS[1], month_field))
if not month then
  return -1
end
if redis.call('set', KEYS[2], 1, 'NX', 'EX', 86400) then
  month = math.max(0, month + tonumber(ARGV[3]))
  redis.call('hset', KEYS[1], month_field, month)
end
return month
