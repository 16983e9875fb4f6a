"""Heatmap: how safe people felt, counted in cells of a geohash at six sizes."""
