# SPDX-License-Identifier: MIT
# Shared by ./demo and ./test: installs missing Debian packages and builds. Sourced, not run.

# Packages that a machine with only compilers and CMake lacks, by their names in Debian 12.
PB_PACKAGES="g++ cmake ninja-build ccache pkg-config procps antlr4 libantlr4-runtime-dev libisl-dev libgmp-dev
  libboost-context-dev libfmt-dev nlohmann-json3-dev libcli11-dev libhwloc-dev ocl-icd-libopencl1
  opencl-c-headers pocl-opencl-icd libopenblas-dev liblapacke-dev libfftw3-dev libgtest-dev libgmock-dev
  libbenchmark-dev python3-minimal python3-numpy"
# Packages that ./test needs beside these: clang makes the sanitizer build and the fuzzers, clang-format 14 checks how
# files look, and clang-tidy 14 finds faults in them. PoCL already brings most of what clang depends on.
# The Python package is built with pybind11 and Python's headers; its wheel is tried in a virtual environment, and
# notebooks by IPython. gdb stops in programs of `pbc --debug`, and dpkg-dev says what packages depend on.
PB_TEST_PACKAGES="clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14 pybind11-dev python3-dev
  python3-venv python3-ipython python3-matplotlib gdb dpkg-dev"
PB_NIGHTLY_PACKAGES="oclgrind debootstrap"

say() { printf '%s\n' "$*"; }
fail() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# ensure_packages <names…>: installs the packages of PB_PACKAGES and of the list that are missing, with one call of
# apt-get.
ensure_packages() {
  command -v dpkg-query >/dev/null || {
    say "This is not a Debian system; needed are the libraries of README.md, found by CMake."
    return 0
  }
  local missing=() name
  for name in $PB_PACKAGES "$@"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q '^install ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "missing packages and no sudo; as root run: apt-get install -y ${missing[*]}"
    root=(sudo)
  fi
  say "Installing: ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { "${root[@]}" apt-get update -qq && "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
         apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    rm -f "$log"
    fail "apt-get could not install: ${missing[*]}"
  fi
  rm -f "$log"
}

# find_python: prints the Python that has NumPy: PB_PYTHON, else Debian's, else that of the PATH.
find_python() {
  local python=${PB_PYTHON:-/usr/bin/python3}
  [ -x "$python" ] || python=python3
  say "$python"
}

# installed_prefix: prints the prefix of the pbc of the PATH if that was built from the commit of this checkout, which has
# no changes; else nothing.
installed_prefix() {
  local pbc version commit
  pbc=$(command -v pbc) || return 0
  version=$(sed -n 's/^project(Polybricks VERSION \([0-9.]*\).*/\1/p' "$PB_ROOT/CMakeLists.txt")
  commit=$(git -C "$PB_ROOT" rev-parse --short=12 HEAD 2>/dev/null) || return 0
  [ -z "$(git -C "$PB_ROOT" status --porcelain --untracked-files=no)" ] || return 0
  [ "$("$pbc" --version)" = "pbc (Polybricks) $version (commit $commit)" ] || return 0
  dirname "$(dirname "$(readlink -f "$pbc")")"
}

# build_project <folder> <targets…>: configures the folder once and builds what is out of date. Further CMake options
# come from PB_CMAKE_OPTIONS. Prints nothing but its progress, unless something fails.
build_project() {
  local folder=$1 log launcher=()
  shift
  mkdir -p "$folder"
  log=$folder/build.log
  if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    # Paths below the root count as relative ones, so that a second clone finds what the first one compiled.
    export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PB_ROOT} CCACHE_NOHASHDIR=true
  fi
  if [ ! -f "$folder/build.ninja" ]; then
    # shellcheck disable=SC2086
    cmake -G Ninja -S "$PB_ROOT" -B "$folder" "${launcher[@]}" ${PB_CMAKE_OPTIONS:-} >"$log" 2>&1 || {
      tail -n 30 "$log" >&2
      fail "CMake could not configure; the whole log is $log"
    }
  fi
  if [ -t 1 ]; then
    # The callers set pipefail, so the status of this pipeline is that of ninja.
    NINJA_STATUS='  building %f of %t ' ninja -C "$folder" "$@" 2>&1 | tee "$log" | while IFS= read -r line; do
      case $line in '  building '*) printf '\r\033[K%.70s' "$line" ;; esac
    done || build_failed "$log"
    printf '\r\033[K'
  else
    ninja -C "$folder" "$@" >"$log" 2>&1 || build_failed "$log"
  fi
}

build_failed() {
  grep -vE '^\[|^  building ' "$1" | tail -n 40 >&2
  fail "the build failed; the whole log is $1"
}
