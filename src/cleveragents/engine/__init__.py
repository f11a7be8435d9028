"""Everything that happens, in order: plans are made, executed and recovered here."""
