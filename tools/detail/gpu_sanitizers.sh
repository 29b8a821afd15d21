# The stages of tools/gpu-check under compute-sanitizer; sourced, never run. They use its functions and options.
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of tools/gpu-check

# Prints the path of compute-sanitizer.
sanitizer() {
  local candidate
  for candidate in compute-sanitizer /usr/local/cuda/compute-sanitizer/compute-sanitizer /opt/nvidia/*/compute-sanitizer/compute-sanitizer; do
    if command -v "$candidate"; then return; fi
  done
  return 1
}

# Not under a sanitizer: tests of more than 2^32 entries, which take seconds without one.
large='*beyond_32_bits'
# A sanitizer uses one core and leaves its GPU idle most of the time: many groups of tests run at once. NCCL takes 20 s to start under
# one, and its kernels are not ours: only memcheck runs the tests that are named after it.
without_nccl='*nccl*:*Nccl*'
under_sanitizer() { # the tests; the tool and its options
  local program leaks=()
  program=$(sanitizer) || {
    say "skipped: no compute-sanitizer"
    return 77
  }
  [[ $2 != memcheck ]] || leaks=(--leaks)
  # Tests make calls fail intentionally, so that only errors of kernels count here. The variable makes long tests short.
  WEFT_UNDER_COMPUTE_SANITIZER=1 gpu_groups "$2" "$1" --jobs $((jobs < 16 ? jobs : 16)) "${leaks[@]}" -- \
    "$program" --tool "$2" --report-api-errors no --error-exitcode 9 "${@:3}"
}
# With leaks, except for those of exchanges abandoned in flight, which retain memory that others may still read: these
# separately, and on two GPUs also their writes to each other's memory.
stage_memcheck() {
  local rc=0 gpus alone said
  gpus=$(count_gpus)
  under_sanitizer "*uda*:-*cuda_aware:*DestroyedInFlight*:$large" memcheck --leak-check full --print-limit 100000 || rc=$?
  ((rc == 77 || rc == 75)) && return "$rc"
  alone=(env WEFT_UNDER_COMPUTE_SANITIZER=1 "$(sanitizer)" --tool memcheck --report-api-errors no --error-exitcode 9 "$built/tests/array_tests" --gtest_color=no)
  said=$("${alone[@]}" --gtest_filter='Cuda/*DestroyedInFlight*:-*cuda_aware' 2>&1) || rc=1
  printf '%s\n' "$said"
  [[ $said == *'[       OK ]'* ]] || rc=1
  ((gpus < 2)) && return "$rc"
  timeout --foreground 300 mpirun --oversubscribe --bind-to none -n 2 "${alone[@]}" --gtest_filter='Cuda/*:-*cuda_aware' || rc=1
  return "$rc"
}
# A step takes hundreds of times longer here: one of the long tests for each kernel, no repetitions, GMRES of 64 block rows, and
# a single step of a case for blocks that process several tiles.
stage_racecheck() {
  local rc=0 folder said
  under_sanitizer "*uda*:-*cuda_aware:*SolverCuda.*:*StepsAhead*:*OnCuda.A*:*OnCuda.B*:*OnCuda.C*:*OnCuda.E*:*OnCuda.G*:Flow/OnCuda.I*:*AnyBoundaryOnCuda.I*:*OnCuda.M*:*OnCuda.So*:*OnCuda.T*:*_rounds:CudaRepeated*:*/CudaRepeated*:CudaGmres.*_and_stops_*:$without_nccl:$large" racecheck || rc=$?
  ((rc == 77 || rc == 75)) || [[ ! -x $built/bin/weft ]] && return "$rc"
  folder=$(mktemp -d)
  said=$("$(sanitizer)" --tool racecheck --error-exitcode 9 "$built/bin/weft" run cases/vortex.toml --device cuda --set mesh.n=720 \
    --set stop.steps=1 --set output.directory="$folder" --overwrite 2>&1) || rc=1
  printf '%s\n' "$said"
  [[ $said == *'RACECHECK SUMMARY: 0 hazards'* ]] || rc=1
  rm -rf "$folder"
  return "$rc"
}
# Not programs whose accesses are checked: the guards copy rows that nothing has written yet.
stage_initcheck() { under_sanitizer "*uda*:-*cuda_aware:CudaRandomProgram*:$without_nccl:$large" initcheck; }
stage_synccheck() { under_sanitizer "*uda*:-*cuda_aware:$without_nccl:$large" synccheck; }
