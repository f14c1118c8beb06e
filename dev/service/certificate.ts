/** A certificate of its own authority; clients have to be told to trust it. */
export async function makeCertificate(host: string) {
	// Loaded here because few need it, and it takes long.
	const { default: selfsigned } = await import('selfsigned');
	const dayMs = 24 * 60 * 60 * 1000;
	const { private: key, cert } = await selfsigned.generate([{ name: 'commonName', value: host }], {
		algorithm: 'sha256',
		keySize: 2048,
		// A clock that is a little slow must not find it invalid.
		notBeforeDate: new Date(Date.now() - dayMs),
		notAfterDate: new Date(Date.now() + 30 * dayMs),
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
