#!/bin/sh
# A wrong choice is corrected, and only what followed from it is decided again.
# Works in throw-away folders; needs `agents` on the PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
play=$(mktemp -d)
trap 'rm -rf "$play"' EXIT
export HOME="$play" CLEVERAGENTS_DATA_DIR="$play/data"
mkdir "$play/project" && cd "$play/project"

echo '--- the plan decides by itself'
agents run "$here/action.yaml" --arg "here=$here"
agents plan tree @

echo '--- the storage was wrong: what would a correction do?'
decision=$(agents plan tree @ | sed -n 's/.*storage: Which storage.* //p')
agents plan correct --guidance 'several processes write' --choose sqlite --dry-run "$decision"

echo '--- correct it; the schema is decided again, the colour stands'
agents plan correct --guidance 'several processes write' --choose sqlite --yes "$decision"
agents plan tree @ --show-superseded
agents plan diff @
echo '--- who was asked'
cat "$HOME/asked.log"
