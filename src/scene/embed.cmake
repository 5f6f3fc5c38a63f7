# Writes the file SOURCE as a C array to TARGET: cmake -DSOURCE=... -DTARGET=... -DNAME=... -P embed.cmake
file(READ ${SOURCE} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(..)" "0x\\1, " bytes "${bytes}")
string(REGEX REPLACE "((0x.., ){20})" "\\1\n" bytes "${bytes}")
file(WRITE ${TARGET} "#include \"scene/${NAME}.h\"\n\nconst char bw_${NAME}[] = {\n${bytes}};\n"
                     "const size_t bw_${NAME}_size = ${size};\n")
