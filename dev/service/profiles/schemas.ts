export const text = { type: 'string' };
export const uuidText = { type: 'string', format: 'uuid' };

/** What a workflow has, its IDs and names called as the profile wants. */
export const called = (
	idField: string,
	nameField: string,
	list: Array<{ id: string | number; name: string }>,
) => list.map(({ id, name, ...rest }) => ({ [idField]: id, [nameField]: name, ...rest }));

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
