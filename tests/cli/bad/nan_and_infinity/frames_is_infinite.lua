-- expects: frames_is_infinite.lua:2: scene.frames is inf; it must be a whole number from 1 to 1000000
scene { cell = 0.1, frames = math.huge }
