"""The vocabulary: frozen records without I/O, and the codec that reads and writes them.

    tool        Tool, Skill, Annotations
    skill_load  calls that load one, as every client writes them, results that say that it was not loaded, and skills
                that were there before the first answer
    tool_roles  ToolRoles: which tools bring foreign text in, and which have effects an attacker wants
    call        ToolCall, ToolResult
    message     Message; note: a note on results, with a code
    expected_call  ExpectedCall: one call that should happen
    golden      Golden, Expectations, ConversationalGolden, Turn
    golden_id   ids that were generated, and those of conversations with simulated users
    safety      Safety: the attack of an attempt; AttackOutcome: its result in a trial
    trajectory  Trajectory, RecordedTrajectory, Usage; LedgerEntry: what the tools really did; values nested too deeply
    open_call   calls of real tools that ended without an answer, read from the ledger
    case        TestCase, ConversationalTestCase: golden + trajectory + tools
    deepeval    DeepEval's argument names in the constructors of records
    failure     Failure and the closed list of codes
    score       Score
    label       Label: what a person says about a judged case
    run         CaseResult, Summary, Run
    dialects/   provider formats: tools and messages of Anthropic, OpenAI, MCP

To change a record, make another: `msgspec.structs.replace(golden, id="x")`.

    approval         what a human, or the approver of a suite in their place, decided about a call before it ran
    floor            the floor under a pass rate: how far agents get that understand nothing
    worst_case       what a hijacked agent reaches, in numbers that a run keeps
"""

from rightcall.records.approval import Approval, Caller
from rightcall.records.call import ToolCall, ToolCallType, ToolResult
from rightcall.records.case import AnyTestCase, ConversationalTestCase, LLMTestCase, TestCase
from rightcall.records.expected_call import Expectations, ExpectedCall
from rightcall.records.failure import Code, Failure
from rightcall.records.golden import AnyGolden, Category, ConversationalGolden, Golden, Turn
from rightcall.records.message import Message
from rightcall.records.run import CaseResult, GroupSummary, Run, Summary
from rightcall.records.score import Score
from rightcall.records.tool import Annotations, Tool
from rightcall.records.trajectory import LedgerEntry, RecordedTrajectory, Trajectory, Usage

__all__ = [
    "Annotations", "AnyGolden", "AnyTestCase", "Approval", "Caller", "CaseResult", "Category", "Code",
    "ConversationalGolden", "ConversationalTestCase", "Expectations", "ExpectedCall", "Failure", "Golden",
    "GroupSummary", "LLMTestCase", "LedgerEntry", "Message", "RecordedTrajectory", "Run", "Score", "Summary",
    "TestCase", "Tool", "ToolCall", "ToolCallType", "ToolResult", "Trajectory", "Turn", "Usage",
]  # fmt: skip
