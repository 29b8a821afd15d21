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
# The tests of each program are distributed over one process per compiler, cyclically over the GPUs: a sanitizer uses one core
# and leaves its GPU idle most of the time.
under_sanitizer() { # the tool and its options
  local program
  program=$(sanitizer) || {
    say "skipped: no compute-sanitizer"
    return 77
  }
  local shards=$((jobs < 16 ? jobs : 16)) shard gpus programs rc=0 pids=()
  mapfile -t programs < <(gpu_tests)
  gpus=$(count_gpus)
  trap 'trap - INT; kill 0' INT  # background jobs do not receive it
  for ((shard = 0; shard < shards; ++shard)); do
    (
      export GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard
      # Open MPI loses folders that concurrent jobs share.
      OMPI_MCA_orte_tmpdir_base=$(mktemp -d)
      export OMPI_MCA_orte_tmpdir_base
      trap 'rm -rf "$OMPI_MCA_orte_tmpdir_base"' EXIT
      [[ -v CUDA_VISIBLE_DEVICES ]] || export CUDA_VISIBLE_DEVICES=$((shard % (gpus > 0 ? gpus : 1)))
      # Tests make calls fail intentionally, so that only errors of kernels count here.
      run_each "$program" --tool "$1" --report-api-errors no --error-exitcode 9 "${@:2}"
    ) >"$out/$1.$shard.log" 2>&1 &
    pids+=($!)
  done
  for shard in "${!pids[@]}"; do
    wait "${pids[$shard]}" || rc=1
    cat "$out/$1.$shard.log"
    rm "$out/$1.$shard.log"
  done
  trap - INT
  ((${#programs[@]} > 0)) || return 77
  return "$rc"
}
# Succeeds for a log of memcheck whose programs all came to their end without a failed test, and without errors but leaks of NCCL:
# NcclCommunicator leaves communicators to the end of the process, because other ranks may still use them.
leaks_of_nccl_alone() {
  awk '/ERROR SUMMARY: [0-9]+ error/ && !/not printed/ {errors += $4}
       /^========= Leaked / {leak = 1}
       leak && /libnccl/ {++of_nccl; leak = 0}
       /^========= *$/ {leak = 0}
       /_tests:$/ {++begun}
       /^\[  PASSED  \]/ {++ended}
       /^\[  FAILED  \]/ {++failed}
       END {printf "%d errors, of which %d are leaks of NCCL communicators\n", errors, of_nccl; exit begun != ended || failed + 0 > 0 || errors != of_nccl || errors == 0}' "$1"
}
# With leaks, except for those of exchanges abandoned in flight, which retain memory that others may still read: these
# separately, and on two GPUs also their writes to each other's memory.
stage_memcheck() {
  local rc=0 gpus alone
  gpus=$(count_gpus)
  gpu_filter="*uda*:-*cuda_aware:*DestroyedInFlight*:$large" under_sanitizer memcheck --leak-check full --print-limit 100000 || rc=$?
  ((rc == 77)) && return "$rc"
  ((rc == 0)) || ! leaks_of_nccl_alone "$out/memcheck.log" || rc=0
  alone=("$(sanitizer)" --tool memcheck --report-api-errors no --error-exitcode 9 "$built/tests/array_tests" --gtest_color=no)
  "${alone[@]}" --gtest_filter='Cuda/*DestroyedInFlight*:-*cuda_aware' || rc=1
  ((gpus < 2)) && return "$rc"
  timeout 300 mpirun --oversubscribe --bind-to none -n 2 "${alone[@]}" --gtest_filter='Cuda/*:-*cuda_aware' || rc=1
  return "$rc"
}
# A step takes hundreds of times longer here: one of the long tests for each kernel, no repetitions, GMRES of 64 block rows, and
# a single step of a case for blocks that process several tiles.
stage_racecheck() {
  local rc=0
  gpu_filter="*uda*:-*cuda_aware:*SolverCuda.*:*StepsAhead*:*OnCuda.A*:*OnCuda.B*:*OnCuda.C*:*OnCuda.E*:*OnCuda.G*:Flow/OnCuda.I*:*AnyBoundaryOnCuda.I*:*OnCuda.M*:*OnCuda.So*:*OnCuda.T*:*_rounds:CudaRepeated*:*/CudaRepeated*:CudaGmres.*_and_stops_*:$large" under_sanitizer racecheck || rc=$?
  ((rc == 77)) || [[ ! -x $built/bin/weft ]] && return "$rc"
  "$(sanitizer)" --tool racecheck --error-exitcode 9 "$built/bin/weft" run cases/vortex.toml --device cuda --set mesh.n=720 \
    --set stop.steps=1 --set output.directory="$out/racecheck" --overwrite || rc=1
  return "$rc"
}
# Not programs whose accesses are checked: the guards copy rows that nothing has written yet.
stage_initcheck() { gpu_filter="*uda*:-*cuda_aware:CudaRandomProgram*:$large" under_sanitizer initcheck; }
stage_synccheck() { gpu_filter="*uda*:-*cuda_aware:$large" under_sanitizer synccheck; }
