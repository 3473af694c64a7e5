-- A new tag with each request.
local number = 0
local run = os.time()
request = function()
  number = number + 1
  return wrk.format("POST", "/tags", nil, '{"id": "' .. run .. "-" .. number .. '"}')
end
