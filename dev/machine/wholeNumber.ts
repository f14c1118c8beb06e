import { InvalidArgumentError } from 'commander';

/** For options of a command: a whole number from `least` on. */
export const wholeNumberFrom = (least: 0 | 1) => (text: string) => {
	const value = Number(text);
	if (Number.isInteger(value) && value >= least) return value;
	throw new InvalidArgumentError(least === 0 ? '0, 1, 2, 3, …' : '1, 2, 3, …');
};
