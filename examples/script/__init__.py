"""A plain script on a store: imports orders from a CSV file, and prints a report.

`python -m examples.script.report examples/data/orders.csv` runs it; the environment variable `SHOP_TARGET` names the
DynamoDB to use.
"""
