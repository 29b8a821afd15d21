# The limit of tools/gpu-check --seconds; sourced, never run.
# shellcheck shell=bash
# shellcheck disable=SC2154 # end, of tools/gpu-check: seconds since 1970

# Ends a process group; gpu_tests.py in it first ends its groups of tests, and prints how many have passed.
end_processes() {
  local half_seconds
  kill -TERM -- "-$1" 2>/dev/null || true
  for ((half_seconds = 0; half_seconds < 30; ++half_seconds)); do
    kill -0 -- "-$1" 2>/dev/null || return 0
    sleep 0.5
  done
  kill -KILL -- "-$1" 2>/dev/null || true
}
# Runs a function in the background, and ends it at the limit of --seconds, or when this program is interrupted.
until_end() {
  local rc=0 process
  (($(date +%s) < end)) || return 75
  set -m  # a process group for it
  "$@" </dev/null &
  process=$!
  set +m
  # shellcheck disable=SC2064 # the process of now
  trap "end_processes $process; exit 130" INT TERM
  while kill -0 "$process" 2>/dev/null && (($(date +%s) < end + 5)); do sleep 0.2; done
  if kill -0 "$process" 2>/dev/null; then
    end_processes "$process"
    wait "$process" || true
    rc=75
  else
    wait "$process" || rc=$?
  fi
  trap - INT TERM
  return "$rc"
}
