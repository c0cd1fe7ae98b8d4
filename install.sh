#!/usr/bin/env bash
# ./install.sh PIP-COMMAND...: run pip; where it fails, say the cause and the next step in one line.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" 2>"$log" && exit 0

say() { echo "error: $1" >&2; exit 2; }
last=$(grep -E '^ *(ERROR|error|OSError|.*Error):?' "$log" | tail -n 1)
if grep -qE 'No space left on device|Errno 28|Disk quota exceeded' "$log"; then
  say "the disk of $PWD is full ($(df -h --output=avail . | tail -n 1 | tr -d ' ') left); make room and run the same command again: it goes on from here"
elif grep -qE 'NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ConnectionReset|IncompleteRead|ProtocolError|Connection (broken|refused|aborted)|Retrying \(|Temporary failure in name resolution|Network is unreachable' "$log"; then
  say "the package index could not be reached, or the download broke off; look at the network and run the same command again: it goes on from here"
elif grep -qE 'Permission denied|Read-only file system' "$log"; then
  say "nothing may be written in $PWD or in pip's cache: ${last:-permission denied}; change that and run the same command again"
elif grep -q 'No matching distribution found' "$log"; then
  say "${last#ERROR: }: the package index has no such version for this Python and machine; with another index: make demo TORCH_INDEX=URL (torch), PIP_INDEX_URL=URL (all)"
fi
tail -n 20 "$log" >&2
say "${last:-pip failed}; mend that and run the same command again: it goes on from here"
