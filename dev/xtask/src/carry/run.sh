#!/bin/sh
# Tries wgpu-clamp on this machine's GPU, which needs a driver and nothing else: ./run.sh
#
# Runs the programs one after the other, at most an hour together. raw/ keeps what each prints, and the table as JSON;
# raw/summary.txt says how each ended. Arguments select programs by name: ./run.sh doctor table
cd "$(dirname "$0")" || exit 1
mkdir -p raw
: >raw/summary.txt
# No caches of shaders, so that a first result takes its full time.
export WGPU_CLAMP_COMMIT="{commit}" MESA_SHADER_CACHE_DISABLE=true __GL_SHADER_DISK_CACHE=0
wanted=" $* "
failed=0

# try SECONDS NAME COMMAND...
try() {
    seconds=$1 name=$2
    shift 2
    case $wanted in "  " | *" $name "*) ;; *) return ;; esac
    timeout -k 10 "$seconds" "$@" >"raw/$name.txt" 2>&1
    status=$?
    case $status in
        0) ended=passed ;;
        124 | 137) ended="cut short after $seconds s" failed=1 ;;
        *) ended="FAILED with status $status: raw/$name.txt" failed=1 ;;
    esac
    echo "$name: $ended" | tee -a raw/summary.txt
}

try 900 doctor bin/doctor --report raw/report.md
# The snapshots of errors stay in the repository.
try 600 gpu bin/gpu --skip errors::
try 1800 table bin/clamp-bench --quick --json raw/table.json
exit $failed
