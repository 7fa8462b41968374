-- Takes back a call that ended in a server error.
--
-- KEYS: the account's hash.
-- ARGV: the chain of the key; the month; the start of the minute in which the call was counted; 1 if the call counted in the month; 1 if it counted in
-- the month of the public keys as well.

local start_field, calls_field = ARGV[1] .. ':start', ARGV[1] .. ':calls'
local values = redis.call('hmget', KEYS[1], start_field, calls_field)
if values[1] == ARGV[3] and tonumber(values[2]) > 0 then
  redis.call('hincrby', KEYS[1], calls_field, -1)
end
if ARGV[4] ~= '1' then
  return 1
end

local month_field = ARGV[2]
local month = tonumber(redis.call('hget', KEYS[1], month_field))
if not month then
  -- Redis has lost the month.
  return 1
end
redis.call('hset', KEYS[1], month_field, math.max(0, month - 1))
if ARGV[5] == '1' then
  local public_field = 'public:' .. ARGV[2]
  local public = tonumber(redis.call('hget', KEYS[1], public_field)) or 0
  redis.call('hset', KEYS[1], public_field, math.max(0, public - 1))
end
return 1
