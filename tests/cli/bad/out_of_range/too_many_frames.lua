-- expects: too_many_frames.lua:2: scene.duration is 1e+09 s; at 24 frames per second that is more than a million frames
scene { cell = 0.1, duration = 1e9 }
