# Finds the third-party packages of all modules, for the build and for find_package(weft). All are Debian 12 packages, which
# tools/install-dependencies installs. weft_optional lists the targets of the optional ones that were found.
set(weft_optional)
find_package(Threads REQUIRED)
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json REQUIRED)

# Defines imported targets for packages without any, in the build and in installations, because exported modules name them.
function(weft_imported name includes libraries)
  if(NOT TARGET ${name})
    add_library(${name} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${name} SYSTEM INTERFACE ${includes})
    target_link_libraries(${name} INTERFACE ${libraries})
  endif()
endfunction()

# FindHDF5 compiles a C program, which requires the language C.
if(NOT CMAKE_C_COMPILER_LOADED)
  enable_language(C)
endif()
set(HDF5_PREFER_PARALLEL ON)
find_package(HDF5 REQUIRED COMPONENTS C)
weft_imported(weft_hdf5 "${HDF5_C_INCLUDE_DIRS}" "${HDF5_C_LIBRARIES}")

find_path(METIS_INCLUDE_DIR metis.h REQUIRED)
find_library(METIS_LIBRARY metis REQUIRED)
weft_imported(weft_metis "${METIS_INCLUDE_DIR}" "${METIS_LIBRARY}")

# PT-Scotch is optional: without it the partitioners are METIS and the Hilbert curve.
find_path(PTSCOTCH_INCLUDE_DIR ptscotch.h PATH_SUFFIXES scotch)
find_library(PTSCOTCH_LIBRARY ptscotch)
find_library(SCOTCH_LIBRARY scotch)
find_library(PTSCOTCHERR_LIBRARY ptscotcherr)
if(PTSCOTCH_INCLUDE_DIR AND PTSCOTCH_LIBRARY AND SCOTCH_LIBRARY AND PTSCOTCHERR_LIBRARY)
  weft_imported(weft_ptscotch "${PTSCOTCH_INCLUDE_DIR}" "${PTSCOTCH_LIBRARY};${SCOTCH_LIBRARY};${PTSCOTCHERR_LIBRARY}")
  list(APPEND weft_optional weft_ptscotch)
else()
  message(STATUS "No PT-Scotch (Debian: libptscotch-dev) found")
endif()

find_path(MUPARSER_INCLUDE_DIR muParser.h REQUIRED)
find_library(MUPARSER_LIBRARY muparser REQUIRED)
weft_imported(weft_muparser "${MUPARSER_INCLUDE_DIR}" "${MUPARSER_LIBRARY}")

# NCCL is optional: without it other transports move messages between GPUs.
if(WEFT_HAS_CUDA)
  find_package(CUDAToolkit REQUIRED)
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  find_library(NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR})
  if(NCCL_INCLUDE_DIR AND NCCL_LIBRARY)
    weft_imported(weft_nccl "${NCCL_INCLUDE_DIR};${CUDAToolkit_INCLUDE_DIRS}" "${NCCL_LIBRARY}")
    list(APPEND weft_optional weft_nccl)
  else()
    message(STATUS "No NCCL found")
  endif()
endif()
