"""A web application on an asynchronous store: projects and their tasks.

`uvicorn examples.web.app:app` serves it; `TASKS_TARGET` says on which DynamoDB.
"""
