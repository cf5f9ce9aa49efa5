-- Batches of 1,000 random probes of awari with 15 stones, from 50 that are made before:
--   wrk -t1 -c2 -d10 --latency -s bench/load/batch.lua http://127.0.0.1:4848
math.randomseed(os.time())

local function board(stones)
  local pits = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
  for _ = 1, stones do
    local pit = math.random(12)
    pits[pit] = pits[pit] + 1
  end
  return '"' .. table.concat(pits, ",", 1, 6) .. "/" .. table.concat(pits, ",", 7, 12) .. '"'
end

local requests = {}
for i = 1, 50 do
  local positions = {}
  for j = 1, 1000 do
    positions[j] = board(15)
  end
  local body = '{"positions":[' .. table.concat(positions, ",") .. "]}"
  local headers = { ["content-type"] = "application/json" }
  requests[i] = wrk.format("POST", "/api/v1/games/awari/probe", headers, body)
end

local at = 0
request = function()
  at = at % #requests + 1
  return requests[at]
end
