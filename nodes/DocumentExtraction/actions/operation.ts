import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

/** What became of an input item, or of one of its files. */
export type Outcome =
	| { itemIndex: number; items: INodeExecutionData[]; error?: undefined }
	| {
			itemIndex: number;
			error: Error;
			/** The files that failed, where the rest of the item's files did not. */
			binary?: IBinaryKeyData;
			/** What a flow needs to go on from here, e.g. the ID of a document that is uploaded. */
			details?: IDataObject;
	  };

/** Ends a run at once, because one item failed and the node does not continue on fail. */
export class RunStoppedError extends Error {
	constructor(
		readonly itemIndex: number,
		readonly reason: Error,
	) {
		super(reason.message);
	}
}

interface Described {
	description: INodeProperties[];
}

/** Works on one item, without knowledge of the others. */
export interface ItemOperation extends Described {
	/**
	 * @returns the output items, or outcomes where one output item may fail without the others
	 * @throws what went wrong; the node file adds the item
	 */
	execute(
		context: IExecuteFunctions,
		itemIndex: number,
	): Promise<INodeExecutionData[] | { outcomes: Outcome[] }>;
}

/** Works on all items of a run together, because one call serves many of them. */
export interface RunOperation extends Described {
	/** @throws RunStoppedError, or what concerns the whole run; what concerns an item is an outcome */
	executeRun(context: IExecuteFunctions): Promise<Outcome[]>;
}

export type Operation = ItemOperation | RunOperation;

/** A value of the service as an item's JSON, which must be an object: n8n fails on anything else. */
export function asJson(value: unknown): IDataObject {
	const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
	return (isObject ? value : { value }) as IDataObject;
}
