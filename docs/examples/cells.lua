-- Reads a box, builds a wall and runs a brush: lua cells.lua WORLD
-- CAIRN_URL names the server, and CAIRN_TOKEN is a token if it wants one. It calls curl.

local server = os.getenv("CAIRN_URL") or "http://127.0.0.1:7070"
local token = os.getenv("CAIRN_TOKEN")

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- Returns the answer and its headers. Tries again while someone else changes the world.
local function call(method, path, body, header, tries)
  local head, from = os.tmpname(), os.tmpname()
  local words = { "curl", "-sS", "-X", method, "-D", head, "-o", from, "-w", "'%{http_code}'" }
  if token then words[#words + 1] = "-H " .. quoted("Authorization: Bearer " .. token) end
  if header then words[#words + 1] = "-H " .. quoted(header) end
  if body then words[#words + 1] = "-H 'Content-Type: application/json' --data-binary " .. quoted(body) end
  words[#words + 1] = quoted(server .. path)
  local run = io.popen(table.concat(words, " "))
  local status = tonumber(run:read("a") or run:read("*a")) or 0
  run:close()
  local function take(name)
    local file = io.open(name, "rb")
    local bytes = file and file:read("*a") or ""
    if file then file:close() end
    os.remove(name)
    return bytes
  end
  local headers, answer = take(head), take(from)
  if status >= 200 and status < 300 then return answer, headers end
  local code = answer:match('"code":"([^"]*)"') or "no answer"
  if (code == "leased" or code == "busy") and (tries or 5) > 1 then
    os.execute("sleep 0.5")
    return call(method, path, body, header, (tries or 5) - 1)
  end
  error({ code = code, text = code .. ": " .. (answer:match('"message":"(.-[^\\])"') or "") })
end

-- Returns the names of the cells of a box, x fastest, then z, then y, and the version. The binary
-- form needs no library: two records, each behind its length.
local function read(world, box)
  local bytes, headers = call("GET", "/v1/cells/" .. world .. "?box=" .. box, nil, "Accept: application/vnd.cairn")
  local at = 1
  local function record()
    local length, unit = 0, 1
    repeat
      local part = bytes:byte(at)
      at, length, unit = at + 1, length + part % 128 * unit, unit * 128
    until part < 128
    at = at + length
    return bytes:sub(at - length, at - 1)
  end
  local names, cells = {}, {}
  for name in record():match('"names":%[(.-)%]}'):gmatch('"([^"]*)"') do names[#names + 1] = name end
  local numbers = record()
  for i = 1, #numbers, 2 do
    cells[#cells + 1] = names[numbers:byte(i) + 256 * numbers:byte(i + 1) + 1]
  end
  return cells, headers:match('[Ee][Tt]ag: ("%x+")')
end

local world = arg[1]
local cells, version = read(world, "0,100,0..4,102,0")
print("before: " .. #cells .. " cells, " .. cells[1])

-- A wall of 5 x 3 cells. null is a window: what is there stays.
local wall = [=[{"box":"0,100,0..4,102,0","names":["stone_bricks",null],
  "cells":[[0,5],[0,2],1,[0,2],[0,5]],"message":"a wall","author":"lua"}]=]
-- If-Match: only if nobody has changed the world since.
local done = call("PUT", "/v1/cells/" .. world, wall, "If-Match: " .. version)
print("wall: " .. done:match('"cells":(%d+)') .. " cells, version " .. done:match('"number":(%d+)'))

done = call("POST", "/v1/brush/" .. world,
  '{"brush":"ball","at":[2,110,0],"r":2,"name":"glass","message":"a ball","author":"lua"}')
print("ball: " .. done:match('"cells":(%d+)') .. " cells, version " .. done:match('"number":(%d+)'))

local fine, refused = pcall(call, "PUT", "/v1/cells/" .. world, '{"box":"0,0,0..0,0,0","names":["stnoe"],"cells":[0]}')
if not fine then print("refused: " .. (refused.text or tostring(refused))) end

local bricks = 0
for _, name in ipairs((read(world, "0,100,0..4,102,0"))) do
  if name == "minecraft:stone_bricks" then bricks = bricks + 1 end
end
print("after: " .. bricks .. " stone bricks")
