"""`observe(agent)`: an unchanged agent, ready to be evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import uuid4

from rightcall.agents.agent_function import further_parameters
from rightcall.agents.observed.adapter import Adapter, Talk, ToolDesk, Watch, shared_hooks
from rightcall.agents.observed.catalog import (
    CLIENTS,
    AdapterInfo,
    adapter_info,
    adapter_named,
    all_adapters,
    detect,
    hook_problem,
    is_loaded,
    version_of,
)
from rightcall.agents.observed.recorder import CallsScored, EventRecorder
from rightcall.agents.observed.request_desk import RequestChange, RequestDesk
from rightcall.agents.observed.session import FunctionTalk, ObservedSession
from rightcall.agents.observed.voices import Role, SharedTrial
from rightcall.agents.trial_values import TrialValues
from rightcall.core.errors import ConfigError
from rightcall.core.event_loop.worker_threads import TrialThread
from rightcall.core.text import pluralize
from rightcall.recording.hooks import SharedSetup
from rightcall.records.approval import ApprovalPolicy
from rightcall.records.golden import Golden, names_agents
from rightcall.records.skill_load import SkillIndex
from rightcall.records.tool import Tool

OTEL = "otel"
NOTHING = ""
"""The name of the watch that only records the user's messages and the answers."""

WAYS_OUT = "give a function of a text instead, and let it return its answer, a Trajectory or messages"


@dataclass(frozen=True)
class ObservedAgent:
    """An agent that is observed while it runs; its code is unchanged. Created by `observe`.

    Give it to `evaluate`, `check` or `Agent(...)` as a model, or talk to it: see `session`. Loads of `skills` count
    whoever makes them.
    """

    target: Any
    info: AdapterInfo | None
    via: tuple[str, ...] | None
    calls: CallsScored = "auto"
    handoffs: Literal["keep", "drop"] = "keep"
    tools_run: Literal["real", "mock"] = "real"
    input: Callable[[Golden], Any] | None = None
    output: Callable[[Any], Any] | None = None
    name: str = ""
    skills: tuple[Tool, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """What the agent is given besides the text."""
    change: RequestChange = field(default=RequestChange(), hash=False)
    """Definitions and instructions that replace those its models would be sent."""
    _seen: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("trials", "unseen", "asked", "named", "answers", "cached"), 0),
        compare=False,
    )

    def session(
        self,
        golden: Golden,
        trial: int = 0,
        desk: ToolDesk | None = None,
        approvals: ApprovalPolicy | None = None,
    ) -> ObservedSession:
        """A fresh conversation for one trial. `desk` runs tools in place of the framework, where that is possible, or
        stands where its requests leave; `approvals` answer when the agent asks.
        """
        requests = desk if isinstance(desk, RequestDesk) else None
        desk = None if requests is not None and not requests.at_tools else desk
        watched = self._adapters()
        shared = SharedTrial()
        if unheard := self._unheard():
            raise ConfigError(*unheard)
        values = (
            TrialValues(self.values, self.parameters(), golden, TrialThread(of_loop=True))
            if self.info and self.values
            else None
        )
        watches = {
            name: self._watch(name, golden, trial, shared, desk=desk, approvals=approvals, values=values)
            for name in (*watched, *(() if self.info else (NOTHING,)))
        }
        # what the framework drops of the replies of the clients that it may use is read there
        usable = [info for info in map(adapter_info, CLIENTS) if is_loaded(info) and not hook_problem(info)]
        below = {info.name: adapter_named(info.name) for info in usable if info.name not in watched}
        clients = {name: self._watch(name, golden, trial, shared) for name in below}
        hooks = [shared_hooks(adapter) for adapter in (*watched.values(), *below.values())]
        for hook in hooks:
            hook.acquire()
        try:
            talk: Talk = FunctionTalk(self.target, golden, self.output, self.values)
            if self.info is not None:
                talk = watched[self.info.name].talk(self.target, watches[self.info.name])
        except BaseException:
            for hook in hooks:
                hook.release()
            raise
        return _Session(
            self, watches, talk, hooks, values=values, clients=clients, golden=golden, requests=requests
        )

    def tools(self) -> list[Tool]:
        """The definitions of the agent's tools, as far as its framework exposes them."""
        return adapter_named(self.info.name).tools(self.target) if self.info else []

    def parameters(self) -> dict[str, Any]:
        """What the agent takes besides the text: the declared types, by the keys of `with`."""
        if self.info is None:
            return further_parameters(self.target)
        parameters = adapter_named(self.info.name).parameters(self.target)
        return {key: kind for key, kind in parameters.items() if key != "inputs" or self.input is None}

    @property
    def can_mock(self) -> bool:
        return bool(self._infos) and all(info.tools == "mock" for info in self._infos)

    @property
    def request_problem(self) -> str:
        """Why nothing can be put into its requests; empty when they leave from this process."""
        away = [info.title for info in self._infos if not info.in_process]
        return (
            f"{away[0]} asks the model from another program, whose requests cannot be changed" if away else ""
        )

    @property
    def sees_approvals(self) -> bool:
        """Whether requests for approval can be observed, and answered by a suite."""
        return self.info is not None and self.info.approvals

    @property
    def naming(self) -> str:
        """How agents get a name that calls are recorded with."""
        lines = [f"{info.naming} ({info.title})" for info in self._infos if info.naming]
        return f"name your agents: {', '.join(lines)}" if lines else "its framework gives agents no names"

    def check(self) -> list[str]:
        """Problems that would prevent every trial from being observed: a version without the hook, code that runs
        where its calls cannot be heard.
        """
        problems = [problem for name in self._adapters() if (problem := hook_problem(adapter_info(name)))]
        return problems or self._unheard()

    def _unheard(self) -> list[str]:
        reason = adapter_named(self.info.name).unheard(self.target) if self.info is not None else ""
        return [f"{self.name}: {reason}"] if reason else []

    def notices(self) -> list[str]:
        """What a reader of the results should know, gathered over the trials so far."""
        notices = [notice for adapter in self._adapters().values() if (notice := adapter.notice())]
        if self._seen["asked"] and not self._seen["named"]:
            notices.append(
                f"{self.name}: the goldens name agents, but no call says whose it is; {self.naming}"
            )
        if cached := self._seen["cached"]:
            share = f"{cached} of {pluralize(self._seen['answers'], 'answer')}"
            notices.append(
                f"{self.name}: {share} came from the framework's cache, so the model was not asked, and trials repeat"
                " each other; turn the cache off where the model is made"
            )
        if unseen := self._seen["unseen"]:
            share = f"{unseen} of {self._seen['trials']} trials"
            notices.append(f"{self.name}: {share} had calls whose tools were not seen to run")
        return notices

    def _role(self, name: str) -> Role:
        """A framework that only objects are observed with may be heard after its requests: clients are below it."""
        if name not in CLIENTS:
            return "framework"
        return "below" if self.info is not None and not self.info.functions else "client"

    @property
    def _infos(self) -> list[AdapterInfo]:
        return [self.info] if self.info else [adapter_info(name) for name in self._adapters()]

    def _adapters(self) -> dict[str, Adapter]:
        if self.via is not None:
            return {name: adapter_named(name) for name in self.via}
        return {
            info.name: adapter_named(info.name)
            for info in all_adapters()
            if info.functions and is_loaded(info)
        }

    def _watch(
        self,
        name: str,
        golden: Golden,
        trial: int,
        shared: SharedTrial,
        desk: ToolDesk | None = None,
        approvals: ApprovalPolicy | None = None,
        values: TrialValues | None = None,
    ) -> Watch:
        about_agents = names_agents(golden)
        recorder = EventRecorder(
            "all" if about_agents else self.calls,
            handoffs="keep" if about_agents else self.handoffs,
            role=self._role(name),
            shared=shared,
        )
        recorder.skills = SkillIndex({skill.name: skill for skill in self.skills}) if self.skills else None
        recorder.approvals_seen = self.sees_approvals  # a function answers by itself, where nobody sees it
        session_id = f"rightcall-{golden.id}-{trial}-{uuid4().hex}"  # an agent's store may outlive the run
        watch = Watch(
            name,
            recorder,
            golden,
            session_id,
            desk=desk,
            input=self.input,
            output=self.output,
            approvals=approvals,
        )
        watch.values = values.by_name if values else {}
        return watch


class _Session(ObservedSession):
    """A session that releases the hooks it uses, and reports when nothing could be observed."""

    def __init__(
        self,
        agent: ObservedAgent,
        watches: dict[str, Watch],
        talk: Talk,
        hooks: Sequence[SharedSetup],
        values: TrialValues | None,
        *,
        clients: dict[str, Watch],
        golden: Golden,
        requests: RequestDesk | None,
    ) -> None:
        super().__init__(watches, talk, values, clients, requests)
        self._agent = agent
        self._hooks = tuple(hooks)
        self._about_agents = names_agents(golden)

    async def turn(self, text: str) -> None:
        await super().turn(text)
        if self._agent.via is None and not self.heard.seen:
            self._refuse_blindness()

    async def aclose(self) -> None:
        hooks = self._hooks
        self._hooks = ()
        try:
            await super().aclose()
        finally:
            for shared in hooks:
                shared.release()
        seen = self._agent._seen
        seen["trials"] += 1
        seen["unseen"] += bool(self.heard.unseen_tools)
        seen["answers"] += len(self.heard.answers)
        seen["cached"] += sum(answer.cached for answer in self.heard.answers)
        if self._about_agents:
            seen["asked"] += 1
            seen["named"] += any(answer.agent for answer in self.heard.answers)

    def _refuse_blindness(self) -> None:
        """Refuse a function that no adapter could observe, because none was loaded when it started."""
        usable = [info for info in all_adapters() if info.functions and is_loaded(info)]
        late = [info.name for info in usable if info.name not in self._watches]
        if late:
            raise ConfigError(
                f"{self._agent.name} imported {', '.join(late)} while it ran, too late to be observed;"
                f" import it where the function is defined, or pass via={late!r}"
            )
        if not usable:
            framework_names = ", ".join(info.name for info in all_adapters() if info.functions)
            raise ConfigError(
                f"nothing was observed from {self._agent.name}: it uses none of {framework_names};"
                " let it return a Trajectory or messages instead of observing it"
            )


def observe(
    agent: Any,
    *,
    via: Literal["auto"] | str | Sequence[str] = "auto",
    calls: CallsScored = "auto",
    tools: Literal["real", "mock"] = "real",
    handoffs: Literal["keep", "drop"] = "keep",
    input: Callable[[Golden], Any] | None = None,
    output: Callable[[Any], Any] | None = None,
) -> ObservedAgent:
    """An agent of a known framework, or a function `(text) -> answer`, as an agent to evaluate.

    Its code is unchanged: it is observed through hooks of its framework while it runs, for this trial alone, and
    nothing is sent anywhere. `via` names the adapters to use for a function; `auto` uses those whose frameworks are
    loaded. `calls` selects whose calls count when agents use agents: `auto` follows handoffs and skips calls inside an
    agent used as a tool, `all` counts them too, `root` only those of the first agent. `tools="mock"` answers the tools
    from the suite's mocks, where the framework allows it. `input` makes the framework's input from a golden, `output`
    the answer from its result. `rightcall list frameworks` says what each adapter can observe.
    """
    info = detect(agent)
    names = None if via == "auto" else (via,) if isinstance(via, str) else tuple(via)
    if info is not None:
        for name in names or ():
            if adapter_info(name).name != info.name:
                raise ConfigError(f"an agent of {info.title} is observed via '{info.name}', not '{name}'")
        names = (info.name,)
    elif names is not None:
        for usable in map(adapter_info, names):
            if not usable.functions:
                problem = "observes agent objects, not functions that run one; observe the object itself"
                raise ConfigError(f"the adapter {usable.name} {problem}")
            if not version_of(usable):
                remedy = f"install it with: pip install {usable.package}"
                raise ConfigError(f"via '{usable.name}' needs {usable.title}; {remedy}")
    if info is None and not callable(agent):
        module = type(agent).__module__
        titles = ", ".join(sorted({info.title for info in all_adapters()}))
        raise ConfigError(
            f"a {module}.{type(agent).__qualname__} belongs to no known framework ({titles}); {WAYS_OUT}"
        )
    own_name = getattr(agent, "name", None) or getattr(agent, "__name__", None)
    title = own_name if isinstance(own_name, str) and own_name else type(agent).__name__
    observed = ObservedAgent(
        agent, info, names, calls, handoffs=handoffs, tools_run=tools, input=input, output=output, name=title
    )
    if tools == "mock" and (info or names) and not observed.can_mock:
        which = info.title if info else ", ".join(names or ())
        raise ConfigError(f"the tools of {which} cannot be mocked; `rightcall list frameworks` says why")
    return observed
