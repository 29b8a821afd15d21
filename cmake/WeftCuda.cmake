# Finds nvcc according to WEFT_CUDA and sets WEFT_HAS_CUDA. With CUDA, the .cu files of a module are part of its library and
# its no_cuda.cpp is not. The CUDA runtime is linked statically, so that the program also starts without a GPU and a driver.
set(WEFT_HAS_CUDA FALSE)
if(WEFT_CUDA)
  find_program(WEFT_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin DOC "CUDA's compiler")
  if(WEFT_NVCC)
    set(WEFT_HAS_CUDA TRUE)
  elseif(WEFT_CUDA STREQUAL "AUTO")
    message(STATUS "No nvcc found: built for CPUs only")
  else()
    message(FATAL_ERROR "WEFT_CUDA is ON but no nvcc was found: set CUDA_HOME or put nvcc on the PATH, or set WEFT_CUDA=OFF")
  endif()
endif()
if(NOT WEFT_HAS_CUDA)
  return()
endif()

if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  # Machine code for Hopper, and PTX that a driver compiles for any GPU since Ampere.
  set(CMAKE_CUDA_ARCHITECTURES 90a-real 80-virtual)
endif()
if(NOT DEFINED CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER ${WEFT_NVCC})
endif()
if(WEFT_CCACHE AND NOT DEFINED CMAKE_CUDA_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${WEFT_CCACHE})
endif()
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)  # CMake 3.25 does not list C++20 for nvcc 12 and later
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)

# Options of every target with .cu files: no contraction, as on the host; lambdas in kernels; the host options of .cpp files.
add_library(weft_cuda_flags INTERFACE)
target_compile_options(weft_cuda_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;--extended-lambda;--expt-relaxed-constexpr;-Xcompiler=-ffp-contract=off>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall;-Xcompiler=-Wextra>")
if(WEFT_NATIVE)
  target_compile_options(weft_cuda_flags INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-march=native>)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(weft_cuda_flags INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-march=x86-64-v3>)
endif()
if(WEFT_WERROR)
  target_compile_options(weft_cuda_flags INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>")
endif()

# weft_reject_spills(<target>): where warnings are errors, for ptxas, too (-Werror=all-warnings), makes it an error that ptxas
# spills registers of a kernel of the target, and assembles the PTX for sm_80 with the same check.
function(weft_reject_spills target)
  if(NOT WEFT_WERROR)
    return()
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=--warn-on-spills>)
  if("80-virtual" IN_LIST CMAKE_CUDA_ARCHITECTURES)
    set_property(TARGET ${target} APPEND PROPERTY CUDA_ARCHITECTURES 80-real)
  endif()
endfunction()

# Target weft_kernel_headers: nvcc compiles every .cuh, and every header with a WEFT_HD function, because kernels may include it.
file(GLOB_RECURSE candidates CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src
  ${PROJECT_SOURCE_DIR}/src/weft/*.hpp ${PROJECT_SOURCE_DIR}/src/weft/*.cuh)
set(includes "")
foreach(header IN LISTS candidates)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${header})
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/${header} marks REGEX "WEFT_HD" LIMIT_COUNT 1)
  if(marks OR header MATCHES "\\.cuh$")
    string(APPEND includes "#include \"${header}\"\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/kernel_headers.cu CONTENT "${includes}" @ONLY)
add_library(weft_kernel_headers OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/kernel_headers.cu)
target_include_directories(weft_kernel_headers PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(weft_kernel_headers PRIVATE weft_flags weft_cuda_flags)
