"""A web application on an asynchronous store: projects and their tasks.

`uvicorn examples.web.app:app` serves it; the environment variable `TASKS_TARGET` names the DynamoDB to use.
"""
