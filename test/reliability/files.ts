import type { INodeExecutionData } from 'n8n-workflow';
import { binaryItem, type BinaryMode } from '../support/binary';
import { textFile } from '../support/files';

/** Items with one small text file each, whose content and name tell them apart. */
export async function textFileItems(
	count: number,
	mode: BinaryMode = 'memory',
): Promise<INodeExecutionData[]> {
	const files = Array.from({ length: count }, (_, index) =>
		textFile(`file-${index}.txt`, `Invoice number: ${index}\n`),
	);
	return await Promise.all(files.map(async (data) => await binaryItem({ files: { data }, mode })));
}
