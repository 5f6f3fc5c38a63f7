-- expects: frames_and_duration.lua:2: scene.frames and scene.duration are both given; leave one out
scene { cell = 0.1, frames = 10, duration = 1 }
