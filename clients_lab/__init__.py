"""Real coding agents against a model of ours on loopback, with hooks by `agents protect`.

`python -m clients_lab` installs the agents, plays what people do with them, takes it back with
`agents undo`, and judges the directory from outside. The model needs the standard library only and
the judge shares no code with the product.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "features" / "support"))  # the oracle lives beside the scenarios
