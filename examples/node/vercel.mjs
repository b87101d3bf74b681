// An agent of the Vercel AI SDK: two tools, and a model behind any server that speaks OpenAI's chat completions.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { isStepCount, ToolLoopAgent, tool } from "ai";
import { z } from "zod";
import { serve } from "./rightcall.mjs";
import { book, weather } from "./shop.mjs";

const provider = createOpenAICompatible({ name: "local", baseURL: process.env.MODEL_URL, apiKey: process.env.MODEL_KEY });
const agent = new ToolLoopAgent({
  model: provider(process.env.MODEL ?? "gpt-5-mini"),
  maxRetries: 0,
  stopWhen: isStepCount(Number(process.env.STEPS ?? 10)),
  tools: {
    get_weather: tool({ description: "The weather in a city.", inputSchema: z.object({ city: z.string() }), execute: weather }),
    book: tool({ description: "Book a room.", inputSchema: z.object({ city: z.string(), nights: z.number() }), execute: book }),
  },
});

await serve((messages) => agent.generate({ messages }));
