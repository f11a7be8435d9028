#!/usr/bin/env python3
"""A chooser: reads the question as JSON, answers as JSON. A model's command line fits here too."""

import json
import sys

asked = json.load(sys.stdin)
wishes = ["sort", "trim", "header", "stop"]
choice = next(wish for wish in wishes if wish in asked["options"])
before = [row["chosen"] for row in asked["decisions"] if row["chosen"] in wishes]
json.dump({"choose": choice, "rationale": f"chosen before: {before}"}, sys.stdout)
