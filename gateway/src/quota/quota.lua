-- Decides whether a call may be made, and counts it, in one step. The rules are those of domain/quota.rs.
--
-- KEYS: the account's hash. Its fields are listed in redis.rs.
-- ARGV: the key, the month, the run of Redis (empty in a cluster), now in milliseconds, calls a minute (-1: no limit), calls a month
-- (-1: no limit), 1 when the month is used.
-- Answer: verdict (0 allowed, 1 revoked, 2 minute used up, 3 month used up, 4 month unknown), start of the minute, calls in it and in the
-- month, this one included. A call that is refused, or not decided for want of the month, uses nothing.

local run = ARGV[3]
if run == '' then
  -- A cluster: only the node itself knows which run it is.
  run = string.sub(string.match(redis.call('info', 'server'), 'run_id:(%w+)'), 1, 20)
end
local start_field, calls_field, month_field = ARGV[1] .. ':start', ARGV[1] .. ':calls', ARGV[2] .. '@' .. run

local held = redis.call('hmget', KEYS[1], start_field, calls_field, month_field)
if held[1] == 'revoked' then
  return {1, 0, 0, 0}
end
-- A month that another run of Redis counted may lack the last moments of that run: it is compared with PostgreSQL first.
local month = tonumber(held[3])
if not month then
  return {4, 0, 0, 0}
end

local now, start, calls = tonumber(ARGV[4]), tonumber(held[1]), tonumber(held[2])
if not start or now - start >= 60000 or start - now >= 60000 then
  start, calls = now, 0
end

local per_minute = tonumber(ARGV[5])
if per_minute >= 0 and calls >= per_minute then
  return {2, start, calls, month}
end
calls = calls + 1
if ARGV[7] ~= '1' then
  redis.call('hset', KEYS[1], start_field, start, calls_field, calls)
  return {0, start, calls, month}
end
local per_month = tonumber(ARGV[6])
if per_month >= 0 and month >= per_month then
  return {3, start, calls - 1, month}
end
month = month + 1
redis.call('hset', KEYS[1], start_field, start, calls_field, calls, month_field, month)
return {0, start, calls, month}
