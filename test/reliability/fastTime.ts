import { startFastClock, type FastClock } from './fastClock';
import { startFastTimeouts } from './fastTimeouts';

/** Waits and time limits pass `speed` times faster, and the clock advances with them. */
export function useFastTime(speed: number) {
	let clock: FastClock;
	let timeouts: ReturnType<typeof startFastTimeouts>;
	beforeEach(() => {
		clock = startFastClock(speed);
		timeouts = startFastTimeouts(speed, clock.pass);
	});
	afterEach(() => {
		timeouts.stop();
		clock.stop();
	});
}
