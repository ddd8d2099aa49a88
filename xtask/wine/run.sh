#!/bin/sh
# Runs a Windows program under Wine:
#
#     run.sh FOLDER PROGRAM ARGS...
#
# FOLDER/debian is what `cargo xtask proof` put there, FOLDER/home gets Wine's files. The program sees the current directory
# as its own; FOLDER and PROGRAM are in it. In namespaces of their own, no mount stays in FOLDER, which somebody may delete,
# no process stays behind, and nothing outside can be reached.
set -eu

# In Debian. Wine's DXGI wants a display.
export INSIDE='
    cd /mnt
    export HOME="/mnt/$1/home" PATH=/usr/sbin:/usr/bin DISPLAY=:0
    shift
    mkdir -p "$HOME"
    Xvfb "$DISPLAY" -nolisten tcp >"$HOME/Xvfb.log" 2>&1 &
    until [ -S /tmp/.X11-unix/X0 ]; do
        kill -0 $! || { cat "$HOME/Xvfb.log" >&2; exit 1; }
        sleep 0.1
    done
    wine "$@"
'

# Around it.
export MOUNTS='
    debian="$1/debian"
    mount --bind . "$debian/mnt"
    mount -t proc proc "$debian/proc"
    mount -t tmpfs tmp "$debian/tmp"
    exec chroot "$debian" /bin/sh -euc "$INSIDE" sh "$@"
'

folder=$1 program=${2#"$PWD/"}
shift 2
user=
[ "$(id -u)" = 0 ] || user=--map-root-user
exec unshare $user --mount --net --pid --fork --kill-child /bin/sh -euc "$MOUNTS" sh "$folder" "$program" "$@"
