/** Jest runs this once, after all tests, with the global variables of startServiceHost.ts. */
export default async function () {
	await (globalThis as typeof globalThis & { stopServiceHost(): Promise<void> }).stopServiceHost();
}
