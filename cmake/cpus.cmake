# The engine, from what lies on a grid up to the solvers, and the renderer, is compiled once for each of BW_CPUS beside the plain
# build, and chosen at start by what the processor has (src/base/cpu.c). All of its names get the set's as an
# ending there; what stands above the engine knows but the solvers' tables (src/world/solver_types.c), the steps of
# Stam's box (src/solvers/stable_cpus.c), the walks through meshes (src/solid/tree_walks.c) and the drawing of pictures (src/render/renderer.c).
set(engine_folders domain particle poisson advect solidflow operate viscous flow render)
set(engine_files grid/block grid/sample solid/tree_walk solvers/chain solvers/chain_state solvers/height solvers/height_sources solvers/height_spray solvers/height_state solvers/levelset solvers/levelset_elastic solvers/levelset_sources solvers/levelset_state solvers/levelset_surface solvers/liquid solvers/liquid_emission solvers/liquid_explicit solvers/liquid_given solvers/liquid_grid solvers/liquid_heat
    solvers/liquid_life solvers/liquid_particles solvers/liquid_spacing solvers/liquid_state solvers/liquid_velocity solvers/smoke solvers/smoke_state solvers/solver solvers/stable_fixed solvers/stable_float
    solvers/stable_transform) # elsewhere, what calculates
set(engine_headers grid/block grid/sample solid/tree_walk solvers/solver solvers/chain solvers/height solvers/levelset solvers/liquid solvers/smoke solvers/stable_box solvers/stable_transform)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND NOT BW_NATIVE)
    set(cpus v3 v4)
endif()
set(BW_CPUS "${cpus}" CACHE STRING "Instruction sets beside the plain one: v3, v4")
if(BW_FULL_TESTS AND NOT BW_NATIVE)
    list(APPEND BW_CPUS scalar)
    list(REMOVE_DUPLICATES BW_CPUS)
endif()

set(flags_v3 -march=x86-64-v3)
set(flags_v4 -march=x86-64-v4)
set(flags_scalar -DBW_LANES=1 -O1 -g0) # nobody waits for it: its bits are what tests ask for

# Names that the headers of the engine declare: functions and data, one a line, from its beginning on. One that is missed is
# defined twice, which the linker refuses.
function(bw_engine_names result)
    foreach(folder IN LISTS engine_folders)
        file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/${folder}/*.h)
        list(APPEND all ${headers})
    endforeach()
    foreach(name IN LISTS engine_headers)
        list(APPEND all ${CMAKE_CURRENT_SOURCE_DIR}/src/${name}.h)
    endforeach()
    foreach(header IN LISTS all)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
        file(STRINGS ${header} lines REGEX "^[A-Za-z].*bw_[a-z0-9_]+([(]|;|\\[)")
        foreach(line IN LISTS lines)
            if(line MATCHES "^[^(]*[ *](bw_[a-z0-9_]+)([(]|;|\\[)")
                list(APPEND names ${CMAKE_MATCH_1})
            endif()
        endforeach()
    endforeach()
    list(REMOVE_DUPLICATES names)
    set(${result} "${names}" PARENT_SCOPE)
endfunction()

function(bw_engine_sources result)
    get_target_property(sources billow SOURCES)
    list(JOIN engine_folders "|" folders)
    list(JOIN engine_files "|" files)
    list(FILTER sources INCLUDE REGEX "/src/((${folders})/[^/]*|${files})\\.c$")
    list(FILTER sources EXCLUDE REGEX "/src/render/(renderer|image|movie)\\.c$") # the public calls
    set(${result} "${sources}" PARENT_SCOPE)
endfunction()

target_compile_definitions(billow PRIVATE $<$<BOOL:${BW_NATIVE}>:BW_NATIVE>)
bw_engine_names(names)
bw_engine_sources(sources)
foreach(cpu v3 v4 scalar)
    string(TOUPPER ${cpu} upper)
    if(NOT cpu IN_LIST BW_CPUS)
        list(APPEND cpu_definitions BW_HAS_${upper}=0)
        continue()
    endif()
    list(APPEND cpu_definitions BW_HAS_${upper}=1)
    set(lines "// Made by cmake/cpus.cmake.\n")
    foreach(name IN LISTS names)
        string(APPEND lines "#define ${name} ${name}_${cpu}\n")
    endforeach()
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/names_${cpu}.h CONTENT "${lines}")
    add_library(billow_${cpu} OBJECT ${sources})
    target_include_directories(billow_${cpu} PRIVATE include src)
    target_link_libraries(billow_${cpu} PRIVATE billow_flags)
    set(options_${cpu} ${flags_${cpu}} -include ${CMAKE_CURRENT_BINARY_DIR}/names_${cpu}.h)
    target_compile_options(billow_${cpu} PRIVATE ${options_${cpu}})
    set_target_properties(billow_${cpu} PROPERTIES POSITION_INDEPENDENT_CODE "$<BOOL:${BUILD_SHARED_LIBS}>")
    target_sources(billow PRIVATE $<TARGET_OBJECTS:billow_${cpu}>)
endforeach()
target_compile_definitions(billow PRIVATE ${cpu_definitions})
