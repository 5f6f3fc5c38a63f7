# bw_use_package(PREFIX module...): links the library with packages found by pkg-config, when they are all there, and
# has the installed library ask for the same. Sets PREFIX_FOUND.
macro(bw_use_package prefix)
    pkg_check_modules(${prefix} IMPORTED_TARGET GLOBAL ${ARGN})
    if(${prefix}_FOUND)
        target_link_libraries(billow PRIVATE PkgConfig::${prefix})
        string(REPLACE ";" " " modules "${ARGN}")
        set_property(GLOBAL APPEND PROPERTY BW_PACKAGES "${prefix} ${modules}")
        set_property(GLOBAL APPEND PROPERTY BW_MODULES ${ARGN})
    endif()
endmacro()
