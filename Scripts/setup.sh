# shellcheck shell=bash
# Sourced by ./demo and ./test: finds what the system lacks and installs it.

# need PACKAGE:PROOF ... - a proof is a command, or a header when it ends in .h
need() {
  local missing=() compiler
  compiler=$(command -v cc || command -v clang || command -v gcc || true)
  for pair in "$@"; do
    local package=${pair%%:*} proof=${pair#*:}
    case $proof in
      *.h) echo "#include <$proof>" | "${compiler:-cc}" -E -x c - >/dev/null 2>&1 || missing+=("$package") ;;
      *) command -v "$proof" >/dev/null 2>&1 || missing+=("$package") ;;
    esac
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  # Without a terminal nobody can be asked, neither for a password nor by a package.
  local sudo=()
  if [ "$(id -u)" != 0 ] && command -v sudo >/dev/null; then
    sudo=(sudo)
    [ -t 0 ] || sudo+=(-n)
  fi
  if command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || [ ${#sudo[@]} -gt 0 ]; }; then
    echo "installing ${missing[*]}"
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y "${missing[@]}" >/dev/null 2>&1 && return 0
    "${sudo[@]}" apt-get update >/dev/null 2>&1 || true
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y "${missing[@]}" >/dev/null 2>&1 && return 0
  elif command -v brew >/dev/null; then
    echo "installing with Homebrew: sqlite lmdb pkg-config"
    brew install sqlite lmdb pkg-config >/dev/null && return 0
  fi
  echo "missing system packages: ${missing[*]} - install them and run this again" >&2
  exit 1
}

# Every trait, so that all that is tested shares one build.
# shellcheck disable=SC2034
all_traits=Macros,Command,Observability

# swift_build OPTIONS... - as `swift build`. SwiftPM gives traits to the compiler in the order of a set, which is
# another one in each process, and the compiler then builds all modules again.
swift_build() { SWIFT_DETERMINISTIC_HASHING=1 swift build "$@"; }

command -v swift >/dev/null || { echo "missing: a Swift 6.2 or newer toolchain" >&2; exit 1; }
