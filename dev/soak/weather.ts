import type { Fault, FaultRule } from '../service/faults.ts';

/** What may go wrong with any request, and how often. */
const anywhere = (elsewhere: string): Array<[probability: number, fault: Fault]> => [
	[0.02, { type: 'status', status: 500 }],
	[0.02, { type: 'statusAfter', status: 500 }],
	[0.01, { type: 'statusAfter', status: 504 }],
	[0.02, { type: 'status', status: 503, headers: { 'retry-after': '1' } }],
	[0.02, { type: 'status', status: 429, headers: { 'retry-after': '1' } }],
	[0.01, { type: 'status', status: 429, body: 'Slow down', contentType: 'text/plain' }],
	[0.01, { type: 'status', status: 408 }],
	[0.005, { type: 'status', status: 400 }],
	[0.005, { type: 'status', status: 401 }],
	[0.005, { type: 'status', status: 403 }],
	[0.005, { type: 'status', status: 404 }],
	[0.005, { type: 'status', status: 409 }],
	[0.005, { type: 'status', status: 413 }],
	[0.005, { type: 'status', status: 422, body: [{ loc: ['body', 'x'], msg: 'no', type: 't' }] }],
	[0.01, { type: 'html', status: 502 }],
	[0.01, { type: 'html', status: 200, title: 'Log in' }],
	[0.01, { type: 'redirect', location: elsewhere }],
	[0.005, { type: 'redirect', location: elsewhere, status: 302 }],
	[0.02, { type: 'cutBefore' }],
	[0.02, { type: 'cutAfter' }],
	[0.01, { type: 'cutMidBody' }],
	[0.01, { type: 'truncate' }],
	[0.01, { type: 'empty' }],
	[0.005, { type: 'charset' }],
	[0.005, { type: 'charset', encoding: 'utf16le' }],
	[0.003, { type: 'huge', status: 500, bytes: 1_000_000 }],
	[0.02, { type: 'delay', ms: 10 }],
];

/**
 * Every fault that the service can have, at random.
 * @param elsewhere an address of another origin that requests are redirected to
 */
export function storm(elsewhere: string, round: number): FaultRule[] {
	const rules: FaultRule[] = [
		{
			match: { operation: 'getExtractions', probability: 0.02 },
			fault: { type: 'shiftRows', insert: 1 },
		},
		{
			match: { operation: 'getExtractions', probability: 0.02 },
			fault: { type: 'wrongPages', pages: 1 },
		},
		{ match: { operation: 'putFile', probability: 0.05 }, fault: { type: 'expireUploadUrls' } },
		...anywhere(elsewhere).map(([probability, fault]) => ({ match: { probability }, fault })),
	];
	// Now and then a part of the service is down, or refuses, for longer than a moment.
	const long: Fault[] = [
		{ type: 'status', status: 503 },
		{ type: 'status', status: 429 },
	];
	if (round % 3 > 0) {
		rules.unshift({
			match: { operation: 'getDocuments', probability: 0.85 },
			fault: long[(round % 3) - 1],
		});
	}
	return rules;
}
