-- expects: constructor.lua:3: "emiter" is not defined; did you mean "emitter"?
scene { cell = 0.1 }
emiter { }
