# Installs the library, its headers and the command, with a CMake package (billow::billow) and a pkg-config file.
include(CMakePackageConfigHelpers)

get_property(packages GLOBAL PROPERTY BW_PACKAGES)
set(BW_FIND_PACKAGES "")
foreach(package IN LISTS packages)
    string(REGEX MATCH "^[^ ]+" prefix "${package}")
    string(REPLACE "${prefix} " "${prefix} REQUIRED IMPORTED_TARGET " arguments "${package}")
    string(APPEND BW_FIND_PACKAGES "    pkg_check_modules(${arguments})\n")
endforeach()
get_property(modules GLOBAL PROPERTY BW_MODULES)
string(REPLACE ";" " " modules "${modules}")
# Who links our static library must name the packages we use; `pkg-config --static` would add all that those packages
# were linked with themselves, which is rarely installed.
get_property(libraries GLOBAL PROPERTY BW_LIBRARIES)
list(JOIN libraries " " libraries)
get_target_property(type billow TYPE)
if(type STREQUAL "STATIC_LIBRARY")
    set(BW_PC_REQUIRES "${modules}")
    set(BW_PC_LIBS "${libraries} -lm -pthread")
else()
    set(BW_PC_REQUIRES_PRIVATE "${modules}")
    set(BW_PC_LIBS_PRIVATE "${libraries} -lm -pthread")
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/billow)
configure_package_config_file(cmake/billowConfig.cmake.in ${PROJECT_BINARY_DIR}/billowConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/billowConfigVersion.cmake COMPATIBILITY SameMinorVersion)
# The installed tree may be moved as a whole: the file finds the prefix from where it lies itself.
file(RELATIVE_PATH BW_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/billow.pc.in ${PROJECT_BINARY_DIR}/billow.pc @ONLY)

set_target_properties(billow PROPERTIES VERSION ${PROJECT_VERSION}
                                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
install(TARGETS billow EXPORT billow)
install(EXPORT billow NAMESPACE billow:: FILE billowTargets.cmake DESTINATION ${package_folder})
install(DIRECTORY include/billow DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/billowConfig.cmake ${PROJECT_BINARY_DIR}/billowConfigVersion.cmake
        DESTINATION ${package_folder})
install(FILES ${PROJECT_BINARY_DIR}/billow.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(BW_TOOLS)
    set_target_properties(billow_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    install(TARGETS billow_cli)
endif()
