"""What a later version reads: golden files of everything that pksk stores, one for each version of each format."""
