# shellcheck shell=bash
# Sourced by .ci/run and Scripts/check-all: runs named parts, prints what each takes, and ends with
# a table. The caller sets `asked` to the parts that were asked for; none means all.

results=() failures=0
figures=$(mktemp) output=$(mktemp)
trap 'rm -f "$figures" "$output"' EXIT

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
  if [ ${#asked[@]} -gt 0 ]; then
    case " ${asked[*]} " in *" $name "*) ;; *) return 0 ;; esac
  fi
  echo "=== $name"
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
  echo "=== ${results[-1]}"
  [ $status = 0 ] || [ "${stop_at_failure:-}" != 1 ] || finish
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
  echo
  echo "STRATA_SEED=${STRATA_SEED:-}"
  printf '%s\n' "${results[@]}"
  exit $((failures > 0))
}
