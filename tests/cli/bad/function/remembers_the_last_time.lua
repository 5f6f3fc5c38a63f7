-- expects: remembers_the_last_time.lua:4: obstacle.motion.position is a function that is not pure: at t = 1.89583 it gave 3.8125, asked again 1.8958334; it must depend on its arguments alone
scene { cell = 0.1 }
local last = 0
obstacle { shape = sphere { center = {0, 0, 0}, radius = 1 }, motion = { position = function(t)
  local before = last
  last = t
  return {before, 0, 0}
end } }
