local _ENV = { scene = scene, pcall = pcall }
scene { cell = 0.1 }
while true do pcall(nothing) end
