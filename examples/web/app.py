"""The endpoints, and the store that they share."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Header, HTTPException, Query, Request
from pydantic import BaseModel
from ulid import ULID

from pksk import AsyncStore, F, connect_async

from .design import Project, State, Task, tasks
from .errors import answer_errors

__all__ = ["app", "create_app"]

router = APIRouter()


def store(request: Request) -> AsyncStore:
    """The store of this application, for endpoints that ask for it."""
    opened: AsyncStore = request.app.state.store
    return opened


Db = Annotated[AsyncStore, Depends(store)]


class NewTask(BaseModel):
    """What a task is made of."""

    title: str


class Changes(BaseModel):
    """What may be changed of a task; what is left out stays."""

    title: str | None = None
    state: State | None = None


class Tasks(BaseModel):
    """Some tasks, and the cursor with which the next ones are asked for."""

    tasks: list[Task]
    next: str | None


@router.post("/projects", status_code=201)
async def create_project(db: Db, project: Project) -> Project:
    """409 where there is one of that name."""
    return await db.create(project)


@router.post("/projects/{project}/tasks", status_code=201)
async def create_task(db: Db, project: str, new: NewTask) -> Task:
    """404 where there is no such project, which the reference of the task finds out."""
    return await db.create(Task(project=project, title=new.title))


@router.get("/projects/{project}/tasks")
async def list_tasks(
    db: Db,
    project: str,
    state: State = "open",
    size: Annotated[int, Query(ge=1, le=100)] = 20,
    after: str | None = None,
) -> Tasks:
    """400 for a cursor of another list."""
    page = await db.page(Task.in_state(project, state).limit(size), after=after)
    return Tasks(tasks=list(page), next=page.next)


@router.get("/projects/{project}/tasks/{task}")
async def show_task(db: Db, project: str, task: ULID) -> Task:
    """404 where there is none."""
    found = await db.get(Task.primary.get(project=project, id=task))
    if found is None:
        raise HTTPException(404, "no such task")
    return found


@router.patch("/projects/{project}/tasks/{task}")
async def change_task(
    db: Db, project: str, task: ULID, changes: Changes, if_match: Annotated[int, Header()]
) -> Task:
    """404 where there is none, 412 where it is not of the version that was seen."""
    update = Task.primary.update(project=project, id=task).set(**changes.model_dump(exclude_none=True))
    return await db.update(update.when(F.version == if_match))


@router.delete("/projects/{project}/tasks/{task}", status_code=204)
async def delete_task(db: Db, project: str, task: ULID) -> None:
    """404 where there is none."""
    await db.delete(Task.primary.delete(project=project, id=task).if_present())


def create_app(target: str) -> FastAPI:
    """The application on a DynamoDB: `memory:`, a file, `dynamodb://eu-west-1`, `http://127.0.0.1:8000`."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with connect_async(target) as db:
            await db.ensure_tables(tasks)
            app.state.store = db
            yield

    made = FastAPI(title="Tasks", lifespan=lifespan)
    made.include_router(router)
    answer_errors(made)
    return made


app = create_app(os.environ.get("TASKS_TARGET", "memory:"))
