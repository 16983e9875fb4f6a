"""An AWS Lambda function on a DynamoDB stream: open orders and their total, for each customer.

`python -m examples.lambda_function.handler` runs it on the embedded engine. On AWS, its handler is
`examples.lambda_function.handler.handler`, with ReportBatchItemFailures for the event source.
"""
