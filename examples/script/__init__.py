"""A plain script on a store: orders from a CSV file, and a report of them.

`python -m examples.script.report examples/data/orders.csv` runs it; `SHOP_TARGET` says on which DynamoDB.
"""
