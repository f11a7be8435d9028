"""Objects on the disk: packs, the store that reads them as one, what is damaged and mended."""
