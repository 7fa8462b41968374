-- Adds calls to a month that were let through while Redis was away. However often it is run, it adds them once.
--
-- KEYS: the account's month, a mark of these calls.
-- ARGV: the run of Redis, the calls (fewer than none when some were given back).
-- Answer: calls in the month, or -1 when this run does not count it yet.

local month, run = string.match(redis.call('get', KEYS[1]) or '', '^(%d+)@(.*)$')
if run ~= ARGV[1] then
  return -1
end
month = tonumber(month)
if redis.call('set', KEYS[2], 1, 'NX', 'EX', 86400) then
  month = math.max(0, month + tonumber(ARGV[2]))
  redis.call('set', KEYS[1], string.format('%.0f@%s', month, run), 'KEEPTTL')
end
return month
