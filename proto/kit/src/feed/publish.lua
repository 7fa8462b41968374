-- Publishes a producer's position, `<epoch>:<seq>`. KEYS: the position. ARGV: epoch, seq, expiry (Unix time in milliseconds).
-- Within an epoch the larger seq stays. An ended epoch does not replace a newer one: epochs are UUIDs of version 7, which sort by
-- time; an epoch of version 4 is older than all of these. Returns 0 when the key holds a newer epoch, else 1.
local function is_v7(epoch)
  return string.sub(epoch, 15, 15) == '7'
end
local current = redis.call('GET', KEYS[1])
if current then
  local epoch, seq = string.match(current, '^(.*):(%d+)$')
  if epoch == ARGV[1] then
    if tonumber(seq) > tonumber(ARGV[2]) then
      return 1
    end
  elseif epoch and is_v7(epoch) and not (is_v7(ARGV[1]) and ARGV[1] > epoch) then
    return 0
  end
end
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. ARGV[2], 'PXAT', ARGV[3])
return 1
