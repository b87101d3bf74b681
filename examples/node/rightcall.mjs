// Serves an agent of the Vercel AI SDK or of Mastra to RightCall: one JSON line in, one JSON line out (`reuse: true`).
import { createInterface } from "node:readline";

const ENDS = { length: "truncated", "content-filter": "refused", "tool-calls": "limit", error: "agent_error" };

export async function serve(generate, session = "", history = []) {
  for await (const line of createInterface({ input: process.stdin })) {
    const ask = JSON.parse(line);
    if (ask.session !== session) [session, history] = [ask.session, []]; // a program serves one session at a time
    history.push({ role: "user", content: ask.input });
    const { reply, said } = await generate([...history]).then(trajectory).catch(failure);
    history.push(...said);
    process.stdout.write(JSON.stringify(reply) + "\n");
  }
}

function failure(error) {
  const cause = error.lastError ?? error; // of a retry
  const infrastructure = cause.isRetryable || cause.statusCode === 429 || cause.statusCode >= 500;
  return { reply: { stop_reason: infrastructure ? "infra_error" : "agent_error", output: "", error: String(error) }, said: [] };
}

export function trajectory(result) {
  if (result.error) throw result.error;
  const { steps, totalUsage: used, finishReason, text, responseMessages: said = result.response.messages } = result;
  const results = said.flatMap((m) => (m.role === "tool" ? m.content : [])).filter((part) => part.output);
  const outputs = new Map(results.map((part) => [part.toolCallId, part.output]));
  const calls = steps.flatMap((step, at) => step.toolCalls.map((part) => called(part.payload ?? part, at, outputs)));
  const cached = used.inputTokenDetails?.cacheReadTokens ?? used.cachedInputTokens ?? 0;
  const usage = { input_tokens: used.inputTokens, output_tokens: used.outputTokens, cached_tokens: cached };
  const known = used.inputTokens == null ? {} : { usage };
  return { reply: { calls, output: text ?? "", stop_reason: ENDS[finishReason] ?? "done", ...known }, said };
}

function called({ toolCallId: id, toolName: name, input, args = input }, step, outputs) {
  const call = typeof args === "string" ? { id, name, step, raw: args, arguments: null } : { id, name, step, arguments: args };
  const { type, value } = outputs.get(id) ?? {};
  return type ? { ...call, output: value, status: type.startsWith("error") || value?.error === true ? "error" : "ok" } : call;
}
