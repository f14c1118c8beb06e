export const text = { type: 'string' };
export const uuidText = { type: 'string', format: 'uuid' };

/** A version 4 UUID out of 32 hexadecimal digits. */
export function uuid(digits: string): string {
	return [
		digits.slice(0, 8),
		digits.slice(8, 12),
		`4${digits.slice(13, 16)}`,
		`a${digits.slice(17, 20)}`,
		digits.slice(20, 32),
	].join('-');
}
