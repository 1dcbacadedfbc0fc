"""What authors of packs run, offline: one file per verb (DESIGN 8)."""
