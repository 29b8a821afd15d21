# The limit of tools/gpu-check --seconds; sourced, never run.
# shellcheck shell=bash
# shellcheck disable=SC2154 # end, of tools/gpu-check: seconds since 1970

# Prints the process groups of a group's processes and of their descendants: gpu_tests.py starts tests in sessions of their own.
groups_below() {
  cat /proc/[0-9]*/stat 2>/dev/null | awk -v group="$1" '
    {pid = $1; sub(/.*\) /, ""); parent[pid] = $2; of[pid] = $3; found[pid] = $3 == group}
    END {
      do {more = 0; for (pid in parent) if (!found[pid] && found[parent[pid]]) found[pid] = more = 1} while (more)
      for (pid in parent) if (found[pid] && !printed[of[pid]]++) print of[pid]
    }'
}
# Ends a process group; gpu_tests.py in it first ends its groups of tests, and prints how many have passed.
end_processes() {
  local half_seconds group
  kill -TERM -- "-$1" 2>/dev/null || true
  for ((half_seconds = 0; half_seconds < 30; ++half_seconds)); do
    kill -0 -- "-$1" 2>/dev/null || return 0
    sleep 0.5
  done
  kill -STOP -- "-$1" 2>/dev/null || true  # starts no further groups
  for group in $(groups_below "$1"); do kill -KILL -- "-$group" 2>/dev/null || true; done
}
# Runs a function in the background, and ends it at the limit of --seconds, or when this program is interrupted.
until_end() {
  local rc=0 process interrupted=false
  (($(date +%s) < end)) || return 75
  trap 'interrupted=true' INT TERM
  set -m  # a process group for it
  "$@" </dev/null &
  process=$!
  set +m
  while kill -0 "$process" 2>/dev/null && ! $interrupted && (($(date +%s) < end + 5)); do sleep 0.2; done
  if kill -0 "$process" 2>/dev/null; then
    end_processes "$process"
    wait "$process" || true
    rc=75
  else
    wait "$process" || rc=$?
  fi
  trap - INT TERM
  ! $interrupted || exit 130
  return "$rc"
}
