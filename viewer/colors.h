// Colour maps, as shader text that several programs share: from 0 to 1, and from -1 to 1.
#pragma once

#define COLOR_MAPS                                                                                           \
    "vec3 ink(float t) {\n"                                                                                  \
    "    t = clamp(t, 0.0, 1.0);\n"                                                                          \
    "    vec3 c = mix(vec3(0.015, 0.02, 0.06), vec3(0.16, 0.09, 0.45), smoothstep(0.0, 0.25, t));\n"         \
    "    c = mix(c, vec3(0.78, 0.16, 0.42), smoothstep(0.2, 0.5, t));\n"                                     \
    "    c = mix(c, vec3(0.98, 0.62, 0.2), smoothstep(0.45, 0.75, t));\n"                                    \
    "    return mix(c, vec3(1.0, 0.98, 0.86), smoothstep(0.72, 1.0, t));\n"                                  \
    "}\n"                                                                                                    \
    "vec3 glow(float t) {\n"                                                                                 \
    "    t = clamp(t, 0.0, 1.0);\n"                                                                          \
    "    return clamp(vec3(0.03, 0.03, 0.05) + vec3(2.6 * t, 2.6 * t - 0.75, 2.6 * t - 1.7), 0.0, 1.0);\n"   \
    "}\n"                                                                                                    \
    "vec3 balance(float t) {\n"                                                                              \
    "    float s = smoothstep(0.0, 1.0, min(abs(t), 1.0));\n"                                                \
    "    vec3 low = mix(vec3(0.1, 0.42, 0.85), vec3(0.75, 0.93, 1.0), s * s);\n"                             \
    "    vec3 high = mix(vec3(0.86, 0.3, 0.1), vec3(1.0, 0.93, 0.7), s * s);\n"                              \
    "    return mix(vec3(0.04, 0.045, 0.06), t < 0.0 ? low : high, sqrt(s));\n"                              \
    "}\n"                                                                                                    \
    "vec3 water_speed(float t) {\n"                                                                          \
    "    return mix(vec3(0.07, 0.28, 0.62), vec3(0.86, 0.95, 1.0), clamp(t, 0.0, 1.0));\n"                   \
    "}\n"
