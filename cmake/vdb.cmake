# Looks for OpenVDB and, where it is there, enables C++. Sets BW_HAVE_VDB. Included at the top level, for only there a
# language may be enabled for the whole tree.
option(BW_VDB "OpenVDB volumes, where OpenVDB is found" ON)
set(BW_HAVE_VDB OFF)
if(BW_VDB)
    include(CheckLanguage)
    check_language(CXX)
    find_path(BW_VDB_INCLUDE openvdb/openvdb.h)
    find_path(BW_BOOST_INCLUDE boost/uuid/uuid.hpp) # OpenVDB's headers ask for it, Debian's package does not
    find_library(BW_VDB_LIBRARY openvdb)
    pkg_check_modules(TBB tbb)
    if(CMAKE_CXX_COMPILER AND BW_VDB_INCLUDE AND BW_BOOST_INCLUDE AND BW_VDB_LIBRARY AND TBB_FOUND)
        set(BW_HAVE_VDB ON)
    endif()
endif()

if(BW_HAVE_VDB)
    enable_language(CXX)
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O3 -g1")
    set(CMAKE_CXX_STANDARD 17)
    set(CMAKE_CXX_STANDARD_REQUIRED ON)
    set(CMAKE_CXX_EXTENSIONS OFF)
    if(BW_SANITIZE MATCHES undefined) # but for checks of every pointer in OpenVDB's templates, which take half of the compiler's time
        target_compile_options(billow_flags INTERFACE
                               $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=vptr,null,alignment,object-size>)
    endif()
else()
    message(STATUS "No OpenVDB volumes: OpenVDB is missing or off (Debian: g++ libopenvdb-dev libboost-dev)")
endif()
