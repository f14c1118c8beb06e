import type { INodeExecutionData } from 'n8n-workflow';
import { binaryItem, type BinaryMode } from '../support/binary';

/** Items with one small text file each, whose content and name tell them apart. */
export async function textFileItems(
	count: number,
	mode: BinaryMode = 'memory',
): Promise<INodeExecutionData[]> {
	return await Promise.all(
		Array.from({ length: count }, async (_, index) =>
			binaryItem({
				json: { number: index },
				files: {
					data: {
						data: `Invoice number: ${index}\n`,
						fileName: `file-${index}.txt`,
						mimeType: 'text/plain',
					},
				},
				mode,
			}),
		),
	);
}
