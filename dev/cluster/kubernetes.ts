/** `npm run check:kubernetes`: what n8n's own Helm chart makes of the values in deploy/kubernetes/. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { execa } from 'execa';
import { parseAllDocuments } from 'yaml';

const deployFolder = fileURLToPath(new URL('../../deploy', import.meta.url));
const valuesFile = `${deployFolder}/kubernetes/document-extraction.yaml`;
const nodesFolder = '/home/node/.n8n/nodes';

const { chart, chartVersion } = new Command('npm run check:kubernetes --')
	.description("Renders n8n's Helm chart with the values of deploy/kubernetes; needs helm.")
	.option('--chart <chart>', 'a folder, or an address', 'oci://ghcr.io/n8n-io/n8n-helm-chart/n8n')
	.option('--chart-version <version>', 'of a chart that has an address', '1.11.0')
	.parse()
	.opts<{ chart: string; chartVersion: string }>();

interface Container {
	name: string;
	image: string;
	command?: string[];
	env?: Array<{ name: string; value?: string }>;
	lifecycle?: { preStop: { exec: { command: string[] } } };
	volumeMounts?: Array<{ name: string; mountPath: string }> | null;
}

interface PodSpec {
	initContainers: Container[];
	containers: Container[];
	volumes: Array<{ name: string; emptyDir?: object }>;
	terminationGracePeriodSeconds: number;
}

interface Resource {
	kind: string;
	metadata: { name: string };
	data?: Record<string, string>;
	spec: { template: { spec: PodSpec } };
}

/** What an operator has to choose, for the chart renders nothing without it. */
const ownValues = ['secretRefs.existingSecret=n8n', 'webhookProcessor.enabled=true'];

async function render(): Promise<Resource[]> {
	const version = chart.includes('://') ? ['--version', chartVersion] : [];
	const set = ownValues.flatMap((value) => ['--set', value]);
	const args = ['template', 'n8n', chart, ...version, '--values', valuesFile, ...set];
	const { stdout } = await execa('helm', args);
	return parseAllDocuments(stdout)
		.map((document) => document.toJS() as Resource | null)
		.filter((resource) => resource !== null);
}

const resources = await render();
const configMap = resources.find(({ kind }) => kind === 'ConfigMap');
const dockerfile = await readFile(`${deployFolder}/Dockerfile`, 'utf8');
const [, n8nVersion] = /^FROM n8nio\/n8n:(.+)$/m.exec(dockerfile) ?? [];

/** Of an environment variable; the last one counts, as in Kubernetes. */
const valueOf = ({ env = [] }: Container, name: string) =>
	env.findLast((variable) => variable.name === name)?.value ?? configMap?.data?.[name];

for (const component of ['main', 'worker', 'webhook-processor']) {
	const { template } = resources.find(
		({ kind, metadata }) => kind === 'Deployment' && metadata.name === `n8n-${component}`,
	)!.spec;
	const pod = template.spec;
	const n8n = pod.containers.find(({ name }) => name === `n8n-${component}`) as Container;

	await test(`${component}: n8n finds the package where it looks for community nodes`, () => {
		const [init] = pod.initContainers;
		const [source, target] = init.command?.slice(-2) ?? [];
		const mount = n8n.volumeMounts?.find(({ mountPath }) => mountPath === nodesFolder);
		assert.equal(init.image, n8n.image);
		assert.equal(source, `${nodesFolder}/.`);
		assert.deepEqual(init.volumeMounts, [{ name: mount?.name, mountPath: target }]);
		assert.deepEqual(
			pod.volumes.find(({ name }) => name === mount?.name),
			{ name: mount?.name, emptyDir: {} },
		);
		assert.equal(valueOf(n8n, 'N8N_UNVERIFIED_PACKAGES_ENABLED'), 'true');
	});

	await test(`${component}: Kubernetes waits for running executions, and for longer than n8n`, () => {
		const sleep = n8n.lifecycle?.preStop.exec.command.at(-1)?.replace('sleep ', '');
		const patience = Number(valueOf(n8n, 'N8N_GRACEFUL_SHUTDOWN_TIMEOUT'));
		assert.ok(patience > 300, 'longer than Max Wait is by default');
		assert.ok(pod.terminationGracePeriodSeconds > patience + Number(sleep));
	});

	await test(`${component}: files are where all pods find them`, () => {
		assert.equal(valueOf(n8n, 'N8N_DEFAULT_BINARY_DATA_MODE'), 'database');
	});

	await test(`${component}: Code nodes run in n8n's runners, of n8n's version`, () => {
		assert.equal(valueOf(n8n, 'N8N_RUNNERS_MODE'), 'external');
		const runners = pod.containers.filter(({ image }) => image.startsWith('n8nio/runners:'));
		// n8n's chart gives webhook processors none: they run no executions.
		const images = component === 'webhook-processor' ? [] : [`n8nio/runners:${n8nVersion}`];
		assert.deepEqual(
			runners.map(({ image }) => image),
			images,
		);
	});
}
