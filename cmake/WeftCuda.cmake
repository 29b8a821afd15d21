# Target weft_cuda: compiles with nvcc, for Hopper (machine code and PTX), every .cu below src and every header that marks
# something WEFT_HD, for such a header promises that a kernel may include it. Needs no GPU.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90a)
endif()
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)  # CMake 3.25 does not know that nvcc 12 and later speak C++20
endif()

file(GLOB_RECURSE candidates CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src
  ${PROJECT_SOURCE_DIR}/src/weft/*.hpp ${PROJECT_SOURCE_DIR}/src/weft/*.cuh)
set(includes "")
foreach(header IN LISTS candidates)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${header})
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/${header} marks REGEX "WEFT_HD" LIMIT_COUNT 1)
  if(marks)
    string(APPEND includes "#include \"${header}\"\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/kernel_headers.cu CONTENT "${includes}" @ONLY)

file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/weft/*.cu)
add_library(weft_cuda OBJECT EXCLUDE_FROM_ALL ${cuda_sources} ${PROJECT_BINARY_DIR}/kernel_headers.cu)
target_include_directories(weft_cuda PRIVATE ${PROJECT_SOURCE_DIR}/src)
set_target_properties(weft_cuda PROPERTIES CUDA_STANDARD 20 CUDA_EXTENSIONS OFF)
# No contraction, as on the host.
target_compile_options(weft_cuda PRIVATE -fmad=false)
