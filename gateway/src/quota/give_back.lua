-- Takes back what a call has used, because it was answered with a fault of ours.
--
-- KEYS: the key's minute, the account's month.
-- ARGV: start of the minute that the call was counted in, 1 when it used the month.

local known = redis.call('get', KEYS[1])
if known then
  local start, used = string.match(known, '^(%-?%d+):(%d+)$')
  if start == ARGV[1] and tonumber(used) > 0 then
    redis.call('set', KEYS[1], string.format('%s:%.0f', start, tonumber(used) - 1), 'KEEPTTL')
  end
end
if ARGV[2] == '1' then
  local month, run = string.match(redis.call('get', KEYS[2]) or '', '^(%d+)@(.*)$')
  if month and tonumber(month) > 0 then
    redis.call('set', KEYS[2], string.format('%.0f@%s', tonumber(month) - 1, run), 'KEEPTTL')
  end
end
return 0
