# Every third-party package that the modules link to, found in one place: by our build, and by find_package(weft) for those who link
# to the installed libraries. All are Debian 12 packages; tools/install-dependencies installs them. Of the optional ones weft_optional
# names the targets of those that are there.
set(weft_optional)
find_package(Threads REQUIRED)
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json REQUIRED)

# Imported targets for the packages that bring none: exported modules name them, and this file makes them on both sides.
function(weft_imported name includes libraries)
  if(NOT TARGET ${name})
    add_library(${name} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${name} SYSTEM INTERFACE ${includes})
    target_link_libraries(${name} INTERFACE ${libraries})
  endif()
endfunction()

# FindHDF5 compiles a C program.
if(NOT CMAKE_C_COMPILER_LOADED)
  enable_language(C)
endif()
set(HDF5_PREFER_PARALLEL ON)
find_package(HDF5 REQUIRED COMPONENTS C)
weft_imported(weft_hdf5 "${HDF5_C_INCLUDE_DIRS}" "${HDF5_C_LIBRARIES}")

find_path(METIS_INCLUDE_DIR metis.h REQUIRED)
find_library(METIS_LIBRARY metis REQUIRED)
weft_imported(weft_metis "${METIS_INCLUDE_DIR}" "${METIS_LIBRARY}")

# Optional: without it the partitioners are METIS and the Hilbert curve.
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

# For GPUs. NCCL is optional: without it messages between GPUs travel in other ways.
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
