// The same agent in Mastra.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { serve } from "./rightcall.mjs";
import { book, weather } from "./shop.mjs";

const provider = createOpenAICompatible({ name: "local", baseURL: process.env.MODEL_URL, apiKey: process.env.MODEL_KEY });
const agent = new Agent({
  id: "travel",
  name: "travel",
  instructions: "You are an agent for travellers.",
  model: provider(process.env.MODEL ?? "gpt-5-mini"),
  maxRetries: 0,
  tools: {
    get_weather: createTool({ id: "get_weather", description: "The weather in a city.", inputSchema: z.object({ city: z.string() }), execute: weather }),
    book: createTool({ id: "book", description: "Book a room.", inputSchema: z.object({ city: z.string(), nights: z.number() }), execute: book }),
  },
});

await serve((messages) => agent.generate(messages, { maxSteps: Number(process.env.STEPS ?? 10) }));
