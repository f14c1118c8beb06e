import Fastify from 'fastify';

interface Message {
	role: 'system' | 'user' | 'assistant' | 'tool';
	content: string | null;
	tool_call_id?: string;
}

interface Tool {
	function: {
		name: string;
		description: string;
		parameters: {
			properties: Record<string, { type: string; description?: string }>;
			required?: string[];
		};
	};
}

interface Question {
	model: string;
	messages: Message[];
	tools?: Tool[];
}

/** What the stand-in does with a conversation: call a tool, or answer. */
export type Reply = { tool: string; arguments: Record<string, unknown> } | { text: string };

const message = (reply: Reply, index: number) =>
	'text' in reply
		? { role: 'assistant', content: reply.text }
		: {
				role: 'assistant',
				content: null,
				tool_calls: [
					{
						id: `call_${index}`,
						type: 'function',
						function: { name: reply.tool, arguments: JSON.stringify(reply.arguments) },
					},
				],
			};

/** A stand-in for a language model, with the interface of OpenAI's chat completions. */
export async function startModel(reply: (question: Question) => Reply) {
	const questions: Question[] = [];
	const server = Fastify();
	server.post<{ Body: Question }>('/v1/chat/completions', (request) => {
		const index = questions.push(request.body);
		const answer = reply(request.body);
		return {
			id: `chatcmpl-${index}`,
			object: 'chat.completion',
			created: Math.floor(Date.now() / 1000),
			model: request.body.model,
			choices: [
				{
					index: 0,
					message: message(answer, index),
					finish_reason: 'text' in answer ? 'stop' : 'tool_calls',
				},
			],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	});
	const address = await server.listen({ host: '127.0.0.1', port: 0 });
	return {
		/** As n8n's OpenAI credential names them. */
		credential: { apiKey: 'stand-in', url: `${address}/v1`, header: false },
		/** What it was asked, in order. */
		questions,
		stop: async () => await server.close(),
	};
}
