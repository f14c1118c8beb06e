/** The files that n8n's items carry, and those of a whole execution. */
import type {
	IBinaryData,
	IBinaryKeyData,
	IExecuteFunctions,
	INodeExecutionData,
	IWorkflowDataProxyData,
} from 'n8n-workflow';

/** Where a workflow whose setting 'binaryMode' is 'combined' keeps files: inside the JSON (n8n-workflow). */
const FILES_IN_JSON = '_files';

/** Whether n8n may keep files inside the JSON of items. */
export function keepsFilesInJson(context: IExecuteFunctions): boolean {
	// Old hosts know no mode.
	return context.getWorkflowSettings?.().binaryMode === 'combined';
}

/** The files of an item, by the names of their fields. */
export function filesOf(
	context: IExecuteFunctions,
	{ json, binary }: INodeExecutionData,
): IBinaryKeyData {
	// Elsewhere this is anybody's JSON, which must not name files of n8n's storage.
	const inJson = keepsFilesInJson(context) ? json[FILES_IN_JSON] : undefined;
	return { ...(inJson as IBinaryKeyData | undefined), ...binary };
}

const storedFiles = new WeakMap<IExecuteFunctions, Map<string, IBinaryData>>();

/**
 * A file of n8n's storage that came to the node in this execution: with its input, or as the output
 * of a node before it. Undefined for the ID of any other file.
 */
export function storedFile(context: IExecuteFunctions, id: string): IBinaryData | undefined {
	const known = storedFiles.get(context) ?? storedFilesBefore(context);
	storedFiles.set(context, known);
	return known.get(id);
}

function storedFilesBefore(context: IExecuteFunctions): Map<string, IBinaryData> {
	const data = context.getWorkflowDataProxy(0);
	const before = context.getParentNodes(context.getNode().name);
	const items = [context.getInputData(), ...before.flatMap(({ name }) => outputsOf(data, name))];
	const files = items.flat().flatMap((item) => Object.values(filesOf(context, item)));
	return new Map(files.flatMap((file) => (file?.id ? [[file.id, file]] : [])));
}

/** What a node has handed out so far, by each of its outputs, in each of its runs. */
function outputsOf(data: IWorkflowDataProxyData, node: string): INodeExecutionData[][] {
	const outputs: INodeExecutionData[][] = [];
	const lastRun = Number(data.$node[node].runIndex);
	for (let run = 0; run <= lastRun; run++) {
		for (let index = 0, output; (output = outputOf(data, node, index, run)); index++) {
			outputs.push(output);
		}
	}
	return outputs;
}

function outputOf(
	data: IWorkflowDataProxyData,
	node: string,
	index: number,
	run: number,
): INodeExecutionData[] | undefined {
	try {
		return data.$items(node, index, run) ?? [];
	} catch {
		// n8n does not say how many outputs a node has: it throws for the one after the last.
		return undefined;
	}
}
