"""What calls consume, by table, index, partition and key: always counted, in a bounded space."""
