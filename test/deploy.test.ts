import type { INodeProperties } from 'n8n-workflow';
import { parse } from 'yaml';
import { properties } from '../nodes/DocumentExtraction/actions/operations';
import { textOf } from './support/repository';

interface Compose {
	'x-n8n': { stop_grace_period: string; environment: Record<string, string> };
	'x-runner': { image: string };
}

interface ChartValues {
	image: { tag: string };
	taskRunners: { image: { tag: string } };
	redis: { worker: { timeout: number } };
	lifecycle: Record<string, { terminationGracePeriodSeconds: number }>;
	executions: { pruning: { maxAge: number } };
	config: { extraEnv: Array<{ name: string; value: string }> };
}

const compose = parse(textOf('deploy/compose.yaml'), { merge: true }) as Compose;
const chart = parse(textOf('deploy/kubernetes/document-extraction.yaml')) as ChartValues;
const [, n8nVersion] = /^FROM n8nio\/n8n:(.+)$/m.exec(textOf('deploy/Dockerfile')) ?? [];
const { version } = JSON.parse(textOf('package.json')) as { version: string };
const { environment } = compose['x-n8n'];
const graceful = Number(environment.N8N_GRACEFUL_SHUTDOWN_TIMEOUT);

/** Of a field in the panel, or in a collection of it. */
function defaultsOf(name: string, fields: INodeProperties[]): unknown[] {
	return fields.flatMap((field) => [
		...(field.name === name ? [field.default] : []),
		...(field.type === 'collection'
			? defaultsOf(name, (field.options ?? []) as INodeProperties[])
			: []),
	]);
}

it('n8n waits longer than the node does by default, and Compose and Kubernetes longer than n8n', () => {
	const waits = defaultsOf('maxWait', properties);

	expect(waits).not.toEqual([]);
	for (const maxWait of waits) expect(graceful).toBeGreaterThan(Number(maxWait));
	expect(parseInt(compose['x-n8n'].stop_grace_period)).toBeGreaterThan(graceful);
	expect(chart.redis.worker.timeout).toBe(graceful);
	for (const { terminationGracePeriodSeconds } of Object.values(chart.lifecycle)) {
		// The chart sleeps 10 seconds before it lets n8n know.
		expect(terminationGracePeriodSeconds).toBeGreaterThan(graceful + 10);
	}
});

it('task runners have the version of n8n in the image', () => {
	expect(compose['x-runner'].image).toBe(`n8nio/runners:${n8nVersion}`);
	expect(chart.taskRunners.image.tag).toBe(n8nVersion);
	expect(chart.image.tag).toBe(`${n8nVersion}-${version}`);
});

it('Kubernetes has the settings that Compose has', () => {
	for (const { name, value } of chart.config.extraEnv) expect(environment[name]).toBe(value);
	expect(environment.EXECUTIONS_DATA_MAX_AGE).toContain(`:-${chart.executions.pruning.maxAge}}`);
});
