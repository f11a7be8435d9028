"""How long checkpoints and rollbacks take, and counts that must be exact whatever the machine."""

import sys
from pathlib import Path

# asv imports whatever lies here and knows no other folder; some of that uses the clients' lab.
sys.path.append(str(Path(__file__).resolve().parent.parent))
