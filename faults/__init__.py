"""Fault injection: crashes, failing system calls, power cuts and crowds, judged from outside.

`python -m faults` runs all of it and prints the tables of docs/reference/reliability.md. The judge
reads files and database with its own eyes and shares no code with the product.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "features" / "support"))  # the oracle lives beside the scenarios
