#!/bin/sh
# Runs a Windows program under Wine:
#
#     run.sh FOLDER PROGRAM ARGS...
#
# `cargo xtask proof` makes FOLDER/debian; Wine's files go to FOLDER/home. The program runs in the current directory,
# which holds FOLDER and PROGRAM. It has namespaces of its own: no mount stays in FOLDER, so that users can delete it,
# no process stays behind, and the program reaches no network.
set -eu

# The commands inside Debian. Wine's DXGI needs a display.
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

# The commands that mount and enter Debian.
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
