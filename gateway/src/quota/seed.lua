-- Lets this run of Redis count a month: from what PostgreSQL has, or from what an earlier run had counted, whichever is more.
--
-- KEYS: the account's hash.
-- ARGV: the month, the run of Redis (empty in a cluster); and, unless it is only looked at: the calls in the month that PostgreSQL knows
-- of, and the day before the month began, as a month and in milliseconds.
-- Answer: 1 when this run counts it.

local run = ARGV[2]
if run == '' then
  -- A cluster: only the node itself knows which run it is.
  run = string.sub(string.match(redis.call('info', 'server'), 'run_id:(%w+)'), 1, 20)
end
local month_field = ARGV[1] .. '@' .. run
if tonumber(redis.call('hget', KEYS[1], month_field)) then
  return 1
end
if not ARGV[3] then
  return 0
end

local month, last_month, last_day = tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local held = redis.call('hgetall', KEYS[1])
local fields = {}
for place = 1, #held, 2 do
  fields[held[place]] = held[place + 1]
end
for field, value in pairs(fields) do
  local counted = string.match(field, '^(.*)@')
  local key = string.match(field, '^(.*):start$')
  if counted == ARGV[1] then
    month = math.max(month, tonumber(value) or 0)
    redis.call('hdel', KEYS[1], field)
  elseif counted and counted < last_month then
    redis.call('hdel', KEYS[1], field)
  elseif key then
    -- Minutes and revocations that are over: the latter have their time in place of the calls.
    local at = tonumber(value) or tonumber(fields[key .. ':calls'])
    if not at or at < last_day then
      redis.call('hdel', KEYS[1], field, key .. ':calls')
    end
  end
end
redis.call('hset', KEYS[1], month_field, month)
redis.call('expire', KEYS[1], 5356800)
return 1
