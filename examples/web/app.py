"""The endpoints, and the store that they share."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, cast

from fastapi import APIRouter, Depends, FastAPI, Header, HTTPException, Query, Request
from ulid import ULID

from pksk import AsyncStore, F, connect_async

from .design import Changes, NewTask, Project, State, Task, TaskPage, tasks
from .errors import error_handlers

router = APIRouter()


def store(request: Request) -> AsyncStore:
    return cast(AsyncStore, request.app.state.store)


Db = Annotated[AsyncStore, Depends(store)]
PageSize = Annotated[int, Query(ge=1, le=100)]
IfMatch = Annotated[int, Header(alias="If-Match")]


@router.post("/projects", status_code=201)
async def create_project(db: Db, project: Project) -> Project:
    return await db.create(project)


@router.post("/projects/{project}/tasks", status_code=201)
async def create_task(db: Db, project: str, new: NewTask) -> Task:
    return await db.create(Task(project=project, title=new.title))


@router.get("/projects/{project}/tasks")
async def list_tasks(
    db: Db, project: str, state: State = "open", size: PageSize = 20, after: str | None = None
) -> TaskPage:
    page = await db.page(Task.in_state(project, state).limit(size), after=after)
    return TaskPage(tasks=list(page), next=page.next)


@router.get("/projects/{project}/tasks/{task}")
async def show_task(db: Db, project: str, task: ULID) -> Task:
    if (stored := await db.get(Task.primary.get(project=project, id=task))) is None:
        raise HTTPException(404, "no such task")
    return stored


@router.patch("/projects/{project}/tasks/{task}")
async def change_task(db: Db, project: str, task: ULID, changes: Changes, version: IfMatch) -> Task:
    update = Task.primary.update(project=project, id=task).set(**changes.model_dump(exclude_none=True))
    return await db.update(update.when(F.version == version))


@router.delete("/projects/{project}/tasks/{task}", status_code=204)
async def delete_task(db: Db, project: str, task: ULID) -> None:
    await db.delete(Task.primary.delete(project=project, id=task).if_present())


def create_app(target: str) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with connect_async(target) as app.state.store:
            await app.state.store.ensure_tables(tasks)
            yield

    created = FastAPI(title="Tasks", lifespan=lifespan, exception_handlers=error_handlers)
    created.include_router(router)
    return created


# A file, `dynamodb://eu-west-1` or `http://127.0.0.1:8000` as well.
app = create_app(os.environ.get("TASKS_TARGET", "memory:"))
