-- Takes back a call of a player.
--
-- KEYS: the player's minute.
-- ARGV: the start of the minute in which the call was counted.
if redis.call('HGET', KEYS[1], 'start') == ARGV[1] then
  redis.call('HINCRBY', KEYS[1], 'calls', -1)
end
return 1
