"""Forks of chats: an ordinary plan, with a sandbox, from any checkpoint of one."""

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.plans.action import Action
from cleveragents.plans.lifecycle import QUEUED
from cleveragents.plans.origin import Origin
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.storage.database import Database
from cleveragents.storage.held import Hold


class ChatForks:
    """Makes them; the chat is only read."""

    def __init__(self, database: Database, sandboxes: Sandboxes, hold: Hold) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._hold = hold

    def fork(self, chat: Plan, checkpoint: Checkpoint, name: str) -> Plan:
        """Makes a plan without steps whose sandbox holds what the checkpoint has."""
        with self._database.registering() as connection:
            origin = Origin(chat.plan_id, chat.name, checkpoint.checkpoint_id, checkpoint.name)
            plans = PlanRepository(connection)
            action = Action(name=name)
            plan = plans.add(chat.project_id, action, stage=QUEUED, told=origin.to_record())
            self._sandboxes.reserve(connection, plan.plan_id, None, checkpoint.sandbox_ref)
        with self._hold(plan.plan_id, "making its sandbox", files=False) as held:
            self._sandboxes.create(held, chat.project_id)
        with self._database.reading() as connection:
            return PlanRepository(connection).get(plan.plan_id)
