"""Whether this process adopts what its steps leave: said when it starts, done with its first step.

Apart from what does it, because most commands start no step and that is slow to import.
"""

from threading import Event

# Set by a process that starts nothing but steps: children it does not know are taken for a step's.
ADOPTS = Event()
