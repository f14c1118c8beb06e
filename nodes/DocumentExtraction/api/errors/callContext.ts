import type { ApiDetail } from '../details/apiDetails';

/** What the words for a failure depend on, besides the failure itself. */
export interface CallContext {
	/** Who should have responded. */
	peer: 'service' | 'storage';
	/** Whether the call changes something at the service. */
	isWrite: boolean;
	/** Whether it carries a file. */
	isUpload: boolean;
	/** The file that it is about. */
	fileName?: string;
	/** The operation that shows whether a write was done, e.g. `Document › Get Many`. */
	shownBy?: string;
	/** The API Details that say how to make this call. */
	madeFrom: ApiDetail[];
}
