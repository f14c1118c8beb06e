/** A certificate of its own authority; clients have to be told to trust it. */
export async function makeCertificate(host: string) {
	// Loaded here because few need it, and it takes long.
	const { default: selfsigned } = await import('selfsigned');
	const { private: key, cert } = selfsigned.generate([{ name: 'commonName', value: host }], {
		algorithm: 'sha256',
		keySize: 2048,
		days: 30,
		extensions: [
			{ name: 'basicConstraints', cA: true },
			{ name: 'keyUsage', keyCertSign: true, digitalSignature: true, keyEncipherment: true },
			{
				name: 'subjectAltName',
				altNames: [
					{ type: 7, ip: host },
					{ type: 2, value: 'localhost' },
				],
			},
		],
	});
	return { key, cert };
}
