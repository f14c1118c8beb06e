import type { Client } from '../client';
import { readActivity, type WorkflowActivity } from '../workflow';
import { lookUntil, type WaitLimits } from './poll';

export interface WorkflowWaitedFor extends WorkflowActivity {
	isFinished: boolean;
	/** Whether `is_extracting` was true at any time. */
	sawExtracting: boolean;
}

/**
 * Waits until the workflow extracts nothing.
 * @param isStarted whether an extraction was just started: `is_extracting` may still be false while
 * it waits its turn, so only true, and false after it, tells that it is over. Otherwise false that
 * lasts for the settle time will do.
 */
export async function waitForWorkflow(
	client: Client,
	{ maxWaitMs, settleMs }: WaitLimits,
	{ isStarted }: { isStarted: boolean },
): Promise<WorkflowWaitedFor> {
	let latest: WorkflowActivity = { isExtracting: false, status: undefined, workflow: undefined };
	let sawExtracting = false;
	let idleSince: number | undefined;
	const isFinished = await lookUntil(client, maxWaitMs, async (looking) => {
		latest = await readActivity(looking);
		if (latest.isExtracting) {
			sawExtracting = true;
			idleSince = undefined;
			return undefined;
		}
		idleSince ??= performance.now();
		const hasSettled = performance.now() - idleSince >= settleMs;
		return sawExtracting || (hasSettled && !isStarted) || undefined;
	});
	return { ...latest, isFinished: isFinished === true, sawExtracting };
}
