"""From field values to exact Query requests."""
