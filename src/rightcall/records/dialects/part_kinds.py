"""The kinds of parts and items that messages consist of, in every spelling that is read.

A part says what it is by its `type`, or by the one field that holds its content (Gemini, Bedrock). What is in none of
these tables is unknown, and an unknown part of an assistant's message is refused: it might be a call.
"""

from __future__ import annotations

from rightcall.records.call import CallKind

TEXTS = {
    "text": ("text", "content"),
    "input_text": ("text",),
    "output_text": ("text",),
    "refusal": ("refusal",),
    "text-plain": ("text",),
    "user-prompt": ("content",),
    "system-prompt": ("content",),
}
"""Parts of text, with the fields that may hold it."""

REASONING = frozenset(
    ("thinking", "redacted_thinking", "reasoning", "redacted-reasoning", "reasoning_text", "summary_text",
     "reasoning_content", "compaction", "compaction_summary", "step-start", "step-finish", "step_start", "thought")
)  # fmt: skip
"""What a model thinks, and the marks between its steps."""

MEDIA = frozenset(
    ("image", "image_url", "input_image", "output_image", "image-url", "image_file", "input_file", "file", "file_url",
     "file_id", "input_audio", "output_audio", "audio", "audio_url", "video", "video_url", "document", "document_url",
     "media", "blob", "uri", "container_upload", "citation", "citations", "reference", "source", "source-url",
     "source-document", "search_result", "resource", "resource_link", "tool_reference", "tool_file", "cache_point",
     "mcp_list_tools", "mcp_tool_listing", "mcp_approval_response", "additional_tools", "fallback",
     "tool-approval-request", "tool-approval-response")
)  # fmt: skip
"""What is shown, cited, listed or attached, and approvals, which name a call that is in another part."""

CALLS = frozenset(
    ("tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "server_tool_call", "tool-call", "function_call",
     "function", "custom", "custom_tool_call", "mcp_call", "mcp_approval_request", "invalid_tool_call",
     "tool_call_chunk", "server_tool_call_chunk", "tool-invocation", "dynamic-tool", "FunctionCall",
     "builtin-tool-call", "function.call", "tool.execution")
)  # fmt: skip
"""Calls that name their tool."""

HOSTED: dict[str, tuple[str, tuple[str, ...], CallKind]] = {
    "web_search_call": ("web_search", ("action",), "hosted"),
    "file_search_call": ("file_search", ("queries",), "hosted"),
    "code_interpreter_call": ("code_interpreter", ("code",), "hosted"),
    "image_generation_call": ("image_generation", ("revised_prompt",), "hosted"),
    "computer_call": ("computer", ("action", "actions"), "hosted"),
    "local_shell_call": ("local_shell", ("action",), "hosted"),
    "shell_call": ("shell", ("action",), "hosted"),
    "apply_patch_call": ("apply_patch", ("operation",), "hosted"),
    "tool_search_call": ("tool_search", ("arguments",), "plumbing"),
    "program": ("program", ("code",), "program"),
}
"""Calls of a provider's own tools: the name they are scored by, the fields that are their arguments, and their kind."""

SERVER_CALLS = frozenset(
    (
        "server_tool_use",
        "mcp_tool_use",
        "server_tool_call",
        "mcp_call",
        "mcp_approval_request",
        "builtin-tool-call",
    )
)
"""Calls of tools that the provider runs, which name their tool."""
SERVER_TOOLS: dict[str, CallKind] = {
    "tool_search_tool_regex": "plumbing", "tool_search_tool_bm25": "plumbing", "advisor": "plumbing",
    "code_execution": "program", "bash_code_execution": "program", "text_editor_code_execution": "program",
}  # fmt: skip
"""Those that are not hosted: by these names, in calls of those types alone."""

RESULTS = frozenset(
    ("tool_result", "tool-result", "tool-error", "tool_call_response", "tool_response", "function_response",
     "server_tool_result", "server_tool_call_result", "tool_search_output", "program_output",
     "FunctionExecutionResult", "tool-return", "builtin-tool-return", "retry-prompt")
)  # fmt: skip
RESULT_ENDINGS = ("_tool_result", "_call_output")
"""Results of calls; those of a provider's own tools end like this."""

CALL_FIELDS = ("functionCall", "function_call", "toolUse", "toolCall", "tool_call")
CODE_FIELDS = ("executableCode", "executable_code")
RESULT_FIELDS = ("functionResponse", "function_response", "toolResult", "toolResponse", "tool_response",
                 "tool_call_result")  # fmt: skip
CODE_RESULT_FIELDS = ("codeExecutionResult", "code_execution_result")
TEXT_FIELDS = ("citationsContent", "guardContent")
SILENT_FIELDS = frozenset(
    ("reasoningContent", "reasoning_content", "inlineData", "inline_data", "fileData", "file_data", "image", "document",
     "video", "audio", "cachePoint", "cache_point", "searchResult", "toolAddition", "toolRemoval",
     "audio_transcription", "audioTranscription", "image_url")
)  # fmt: skip
"""Fields that hold the content of a part without a type: calls, results, text, and what holds neither."""

NAMES = ("name", "toolName", "tool_name", "toolType", "tool_type")
ARGUMENTS = ("arguments", "args", "input", "parameters", "tool_kwargs")
IDS = ("call_id", "toolCallId", "tool_call_id", "toolUseId", "tool_use_id", "id")
OUTPUTS = (
    "output", "result", "response", "content", "structuredContent", "structured_content", "tools", "error",
)  # fmt: skip
"""Where the pieces of a call and of a result are, in the order in which they are looked for."""

LEAN = frozenset(
    ("tool_call", "server_tool_call", "tool-call", "tool-invocation", "dynamic-tool", "builtin-tool-call")
)
"""Spellings in which a call without arguments may leave them out, like those that use a field instead of a type."""

LISTS = ("tool_calls", "toolCalls", "function_calls", "functionCalls", "invalid_tool_calls", "toolInvocations",
         "executed_tools")  # fmt: skip
SINGLES = ("function_call", "functionCall")
ECHOES = ("tool_call_chunks",)
"""Fields of a message that hold calls: lists of them, one, and those that only repeat the others."""
EXTRA_LISTS = (*LISTS, "tool_outputs")
"""The lists of calls in LangChain's `additional_kwargs`; the last holds those of OpenAI's own tools."""
