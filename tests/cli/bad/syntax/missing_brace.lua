-- expects: missing_brace.lua:3: '}' expected (to close '{' at line 2) near <eof>
scene { cell = 0.1
