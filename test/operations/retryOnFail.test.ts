import { binaryItem } from '../support/binary';
import { runNode } from '../support/n8n';
import type { Service } from '../support/service';
import { borrowService } from '../support/useService';

let service: Service;
beforeAll(async () => {
	service = await borrowService({ profile: 'atlas', extractionMs: 20, startMs: 5 });
});
beforeEach(async () => await service.control.reset());
afterAll(async () => await service.stop());

const textFile = (name: string) => ({
	data: `Document number: ${name}`,
	fileName: `${name}.txt`,
	mimeType: 'text/plain',
});

describe.each(['direct', 'signed'])("with n8n's Retry On Fail, by %s upload", (uploadMethod) => {
	it.each(['stopWorkflow', 'continueErrorOutput'] as const)(
		'files that are at the service are not uploaded again (%s)',
		async (onError) => {
			const operation = uploadMethod === 'direct' ? 'upload' : 'createUploadUrl';
			await service.control.faults([
				{ match: { operation, times: 1 }, fault: { type: 'status', status: 400 } },
			]);
			const files = {
				first: textFile('first'),
				second: textFile('second'),
				third: textFile('third'),
			};

			const run = await runNode({
				parameters: { binaryPropertyName: '*', uploadMethod, options: { maxConcurrency: 1 } },
				items: [await binaryItem({ files })],
				credential: service.credential(),
				onError,
				retryOnFail: true,
				maxTries: 3,
				waitBetweenTries: 1,
			});

			expect(run.error).toBeUndefined();
			expect(run.output).toHaveLength(3);
			const { uploads, confirmations } = await service.control.ledger();
			expect(uploads.map(({ fileName }) => fileName).sort()).toEqual([
				'first.txt',
				'second.txt',
				'third.txt',
			]);
			const confirmed = confirmations.flatMap(({ documentIds }) => documentIds);
			expect(new Set(confirmed).size).toBe(confirmed.length);
		},
	);
});
