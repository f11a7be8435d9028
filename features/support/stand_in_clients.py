"""Programs that do with conversations what Claude Code and Codex were seen to do."""

import sys

START = f"#!{sys.executable}\nimport json, os, sys\nHERE = os.path.dirname(__file__)\n"

_NOTED = """
with open(os.path.join(HERE, "claude.log"), "a") as log:
    words = {"words": sys.argv[1:], "model": os.environ.get("ANTHROPIC_BASE_URL")}
    log.write(json.dumps(words) + "\\n")
"""
# Copies the lines of a conversation up to the message that it is to be resumed at.
_FORKS = """
given = dict(zip(sys.argv[1:], sys.argv[2:]))
folder = os.path.join(os.environ["CLAUDE_CONFIG_DIR"], "projects", "one")
lines = open(os.path.join(folder, given["--resume"] + ".jsonl")).read().splitlines(True)
ends = {"at": given["--resume-session-at"], "never": None}[ENDS]
with open(os.path.join(folder, given["--session-id"] + ".jsonl"), "w") as made:
    for line in lines:
        made.write(line)
        if ends and json.loads(line).get("uuid") == ends:
            break
"""
CLAUDE = {
    "is fine": f"{START}{_NOTED}ENDS = 'at'\n{_FORKS}",
    "forks everything": f"{START}{_NOTED}ENDS = 'never'\n{_FORKS}",
    "makes no fork": f"{START}{_NOTED}",
    "says no": f"{START}sys.exit(\"error: unknown option '--session-id'\\nand more\")\n",
    "says nothing": f"{START}sys.exit(3)\n",
    "cannot be run": "no program",
}

# Answers what it is asked, among things of its own; what it lacks it refuses.
_SERVES = """
print("WARNING: no JSON")
print(json.dumps(["no", "message"]))
for line in sys.stdin:
    asked = json.loads(line)
    with open(os.path.join(HERE, "codex.log"), "a") as log:
        log.write(line)
    if "id" not in asked:
        continue
    print(json.dumps({"method": "thread/status/changed", "params": {}}))
    print(json.dumps({"id": asked["id"], "method": "currentTime/read"}))
    if asked["method"] == LACKS:
        error = {"message": "Invalid request: unknown variant `%s`" % LACKS}
        print(json.dumps({"id": asked["id"], "error": error}), flush=True)
    else:
        print(json.dumps({"id": asked["id"], "result": {}}), flush=True)
"""
CODEX = {
    "is fine": f"{START}LACKS = ''\n{_SERVES}",
    "lacks it": f"{START}LACKS = 'thread/revert'\n{_SERVES}",
    "ends at once": f"{START}sys.exit(1)\n",
    "cannot be run": "no program",
}
