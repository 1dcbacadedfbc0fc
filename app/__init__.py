"""Domain Access: what an Autonomous User asks before it acts in a metaverse (MPAI PGM-AUA, BKN-DAC)."""
