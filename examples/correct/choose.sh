#!/bin/sh
# A chooser without any dependency: the first option, and the last one as soon as a correction
# has given guidance. Reads the question as JSON, answers as JSON.
question=$(cat)
echo "asked: $1" >> "$HOME/asked.log"
case $question in
*'"guidance": []'*) choice=$2 ;;
*) choice=$3 ;;
esac
printf '{"choose": "%s", "rationale": "%s"}\n' "$choice" "the shell script prefers it"
