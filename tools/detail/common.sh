# Common functions of the scripts; sourced, never run. Sets WEFT_ROOT and changes to it.
# shellcheck shell=bash
set -euo pipefail

WEFT_SCRIPT=$(realpath "$0") WEFT_CALLER=$PWD
WEFT_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$WEFT_ROOT"

# shellcheck disable=SC2034 # used by the scripts that source this
if [[ -t 1 ]]; then
  BOLD=$'\e[1m' RED=$'\e[31m' GREEN=$'\e[32m' PLAIN=$'\e[0m'
else
  BOLD='' RED='' GREEN='' PLAIN=''
fi

say() { printf '%s\n' "$*"; }
heading() { printf '\n%s== %s%s\n' "$BOLD" "$*" "$PLAIN"; }
die() {
  printf '%s%s%s\n' "$RED" "$*" "$PLAIN" >&2
  exit 2
}

# Prints the comment at the head of the script, for --help.
print_header() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$WEFT_SCRIPT"; }

# caller_path PATH: prints it as an absolute path, where a relative one begins at the folder in which the script was started.
caller_path() {
  case $1 in
    '' | /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "$WEFT_CALLER/$1" ;;
  esac
}

# minutes_seconds SECONDS: "1 min 05 s"
minutes_seconds() {
  if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}

# Number of compilers: one per core, limited by 1.5 GB of free memory each.
default_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo)
  ((memory < 1)) && memory=1
  echo $((cores < memory ? cores : memory))
}

# positive_number OPTION VALUE: exits unless VALUE is one.
positive_number() {
  [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || die "$1 takes a number of at least 1, not '${2:-}'"
}

# build DIRECTORY JOBS [TARGET...]: prints ninja's status line on a terminal, elsewhere only errors.
build() {
  local directory=$1 jobs=$2
  shift 2
  local targets=()
  (($#)) && targets=(--target "$@")
  local quiet=()
  [[ -t 1 ]] || quiet=(-- --quiet)
  cmake --build "$directory" -j "$jobs" "${targets[@]}" "${quiet[@]}"
}

# configure PRESET [ARGUMENT...]: prints the output of cmake only if it fails.
configure() {
  local log
  log=$(mktemp)
  if cmake --preset "$@" >"$log" 2>&1; then
    grep -A6 'CMake Warning' "$log" || true
    rm -f "$log"
  else
    cat "$log"
    rm -f "$log"
    return 1
  fi
}

# Open MPI in containers, as root, and with more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
# All clones of this repository on the machine share one cache.
export CCACHE_BASEDIR=$WEFT_ROOT CCACHE_NOHASHDIR=1
# The tests' precompiled headers can be cached only with these; no source uses __DATE__ or __TIME__.
export CCACHE_SLOPPINESS=pch_defines,time_macros
