# shellcheck shell=bash
# Sourced by .ci/run and Scripts/check-all: runs named parts, prints what each takes, and ends with
# a table. The caller sets `asked` to the parts that were asked for; none means all.
#
# `beside` runs parts at the same time as others. Where one of them fails, and stop_at_failure is 1, the
# others end too.

results=() failures=0
parts_folder=$(mktemp -d)
figures=$parts_folder/figures output=$parts_folder/output
# The processes that `beside` has begun, and the folder of each. In such a process `lane` is its folder.
lane_processes=() lane_folders=() lane=
trap 'stop_lanes; rm -rf "$parts_folder"' EXIT
# What is said while the output of a lane goes into a file.
exec 3>&1

say() {
  echo "$1"
  [ -z "$lane" ] || echo "$1" >&3
}

# Sets cpu to the seconds of processor time of everything that has run and ended so far.
measure_cpu() {
  times >"$figures"
  cpu=$(awk 'NR == 2 {
    for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); sum += t[1] * 60 + t[2] }
    printf "%d", sum
  }' "$figures")
}

# part NAME COMMAND... - runs the command in a subshell that stops at its first failure.
part() {
  local name=$1 result=passed status start before
  shift
  # shellcheck disable=SC2154
  if [ ${#asked[@]} -gt 0 ]; then
    case " ${asked[*]} " in *" $name "*) ;; *) return 0 ;; esac
  fi
  say "=== $name"
  measure_cpu
  start=$SECONDS before=$cpu
  # Inside a condition `set -e` would be off in the subshell too.
  set +e
  # The lines that say that a test has started are most of the output, and tell nothing. Names of tests
  # have bytes that make the output binary, at which grep without -a would end, and the tests with it.
  (set -e; "$@") 2>&1 | tee "$output" | grep -a --line-buffered -vE '^◇ .* started\.$'
  status=${PIPESTATUS[0]}
  set -e
  measure_cpu
  if [ $status != 0 ]; then result=FAILED failures=$((failures + 1)); fi
  results+=("$(printf '%-18s %s %6d s, %6d s of CPU' "$name" "$result" $((SECONDS - start)) \
    $((cpu - before)))")
  # What failed stands once more at the end, where the log of a run is looked at first.
  [ $status = 0 ] || grep -aE '✘|recorded an issue|error:' "$output" | cut -c 1-600 | tail -n 40 || true
  say "=== ${results[-1]}"
  [ -z "$lane" ] || echo "${results[-1]}" >>"$lane/results"
  [ $status = 0 ] || [ "${stop_at_failure:-}" != 1 ] || finish
}

# beside FUNCTION - runs the parts that a function names, one after the other, beside what follows, until `join`.
# Their output comes then; when each begins and ends is said at once.
beside() {
  local folder=$parts_folder/lane${#lane_folders[@]}
  mkdir "$folder"
  : >"$folder/results"
  # A group of processes for each, so that all of them can be ended.
  set -m
  (
    lane=$folder results=() failures=0 lane_processes=()
    figures=$folder/figures output=$folder/part
    "$@"
    exit $((failures > 0))
  ) >"$folder/output" 2>&1 </dev/null &
  set +m
  lane_processes+=($!) lane_folders+=("$folder")
}

# Waits until all that `beside` has begun has ended, and prints the output of each.
join() {
  local left=("${!lane_processes[@]}") number line waiting failed=
  while [ ${#left[@]} -gt 0 ]; do
    waiting=()
    for number in "${left[@]}"; do
      if kill -0 "${lane_processes[number]}" 2>/dev/null; then
        waiting+=("$number")
      elif ! wait "${lane_processes[number]}"; then
        failed+=" $number"
      fi
    done
    if [ -n "$failed" ] && [ "${stop_at_failure:-}" = 1 ]; then
      stop_lanes
      wait
      break
    fi
    left=(${waiting[@]+"${waiting[@]}"})
    [ ${#left[@]} = 0 ] || sleep 1
  done
  for number in "${!lane_folders[@]}"; do
    while IFS= read -r line; do results+=("$line"); done <"${lane_folders[number]}/results"
    # What failed comes last.
    case "$failed " in *" $number "*) ;; *) cat "${lane_folders[number]}/output" ;; esac
  done
  for number in $failed; do cat "${lane_folders[number]}/output"; done
  lane_processes=() lane_folders=()
  if [ -n "$failed" ]; then
    failures=$((failures + 1))
    [ "${stop_at_failure:-}" != 1 ] || finish
  fi
}

# Ends what `beside` has begun.
stop_lanes() {
  local process
  for process in ${lane_processes[@]+"${lane_processes[@]}"}; do
    kill -TERM -- "-$process" 2>/dev/null || true
  done
}

# checked_tests OPTIONS... - runs `swift test` with options; fails where an alternative of a filter matches no
# test, which would be left out without a word.
checked_tests() {
  local given=("$@") options=() listed status=0
  while [ $# -gt 0 ]; do
    case $1 in
      --filter | --skip) shift 2 ;;
      *) options+=("$1") && shift ;;
    esac
  done
  listed=$(mktemp)
  swift test list "${options[@]}" >"$listed" && Scripts/check-filters "${given[@]}" <"$listed" || status=1
  rm -f "$listed"
  [ $status = 0 ] && swift test "${given[@]}"
}

# Prints the table; the status of the script is 1 where a part failed.
finish() {
  [ -z "$lane" ] || exit $((failures > 0))
  echo
  echo "STRATA_SEED=${STRATA_SEED:-}"
  printf '%s\n' "${results[@]}"
  exit $((failures > 0))
}
